package conformance

import (
	"context"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	leasecontroller "k8s.io/component-helpers/apimachinery/lease"
	nodeutil "k8s.io/component-helpers/node/util"
	"k8s.io/utils/clock"
)

const renewInterval = time.Second

// TestKubeletHeartbeat runs what a kubelet runs: it registers, reports by its own patch, and its
// own lease controller renews. While it does the node is Ready; when it stops the node is Unknown.
func TestKubeletHeartbeat(t *testing.T) {
	t.Parallel()
	client := clientset(t, config(t))
	leases := client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
	nodes := client.CoreV1().Nodes()
	registered, err := nodes.Create(t.Context(), node("kubelet"), metav1.CreateOptions{})
	must(t, err)
	report(t, client, registered)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go leaseController(client, registered).Run(ctx)

	t.Run("the lease is made and renewed", func(t *testing.T) {
		first := beaten(t, client, time.Time{})
		if len(first.OwnerReferences) != 1 || first.OwnerReferences[0].UID != registered.UID {
			t.Fatalf("owned by %v", first.OwnerReferences)
		}
		for at, beats := first.Spec.RenewTime.Time, 0; beats < 3; beats++ {
			at = beaten(t, client, at).Spec.RenewTime.Time
		}
	})
	t.Run("a deleted lease is made again", func(t *testing.T) {
		must(t, leases.Delete(t.Context(), "kubelet", metav1.DeleteOptions{}))
		beaten(t, client, time.Time{})
	})
	t.Run("the node is Ready while it beats, and Unknown when it stops", func(t *testing.T) {
		isReady(t, client, corev1.ConditionTrue)
		stop()
		isReady(t, client, corev1.ConditionUnknown)
		recorded(t, client, "kubelet", isAny)
	})
}

func leaseController(client kubernetes.Interface, node *corev1.Node) leasecontroller.Controller {
	own := metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}
	return leasecontroller.NewController(
		clock.RealClock{}, client, node.Name, 40, nil, renewInterval,
		node.Name, corev1.NamespaceNodeLease,
		func(lease *coordinationv1.Lease) error {
			lease.OwnerReferences = []metav1.OwnerReference{own}
			return nil
		},
	)
}

// report says Ready with the patch of a kubelet, addresses and their `$patch: replace` included.
func report(t *testing.T, client kubernetes.Interface, before *corev1.Node) {
	t.Helper()
	after := before.DeepCopy()
	after.Status.Conditions[0].Status = corev1.ConditionTrue
	after.Status.Conditions[0].Reason = "KubeletReady"
	after.Status.Addresses = after.Status.Addresses[1:]
	name := types.NodeName(before.Name)
	patched, _, err := nodeutil.PatchNodeStatus(client.CoreV1(), name, before, after)
	must(t, err)
	if !equality.Semantic.DeepEqual(patched.Status, after.Status) {
		t.Fatalf("status is %+v", patched.Status)
	}
}

// beaten waits for a renewal later than the one that is known.
func beaten(t *testing.T, client kubernetes.Interface, known time.Time) *coordinationv1.Lease {
	t.Helper()
	var lease *coordinationv1.Lease
	eventually(t, "the lease is renewed", func(ctx context.Context) (bool, error) {
		leases := client.CoordinationV1().Leases(corev1.NamespaceNodeLease)
		list, err := leases.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=kubelet"})
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		lease = &list.Items[0]
		return lease.Spec.RenewTime.After(known), nil
	})
	return lease
}

func isReady(t *testing.T, client kubernetes.Interface, status corev1.ConditionStatus) {
	t.Helper()
	eventually(t, "Ready is "+string(status), func(ctx context.Context) (bool, error) {
		node, err := client.CoreV1().Nodes().Get(ctx, "kubelet", metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		_, ready := nodeutil.GetNodeCondition(&node.Status, corev1.NodeReady)
		return ready.Status == status, nil
	})
}
