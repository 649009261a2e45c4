package conformance

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

func TestPods(t *testing.T) {
	t.Parallel()
	client := clientset(t, jsonConfig(t))
	pods := client.CoreV1().Pods("default")

	t.Run("live as other objects do, in JSON", func(t *testing.T) {
		image := func(pod *corev1.Pod) any { return pod.Spec.Containers[0].Image }
		crud(t, pods, pod("crud-pod", ""), image)
	})
	t.Run("are refused in protobuf, with what to set instead", func(t *testing.T) {
		inProtobuf := clientset(t, config(t)).CoreV1().Pods("default")
		_, err := inProtobuf.Create(t.Context(), pod("refused", ""), metav1.CreateOptions{})
		expect(t, apierrors.IsUnsupportedMediaType, err)
		if !strings.Contains(err.Error(), "ContentType") {
			t.Fatalf("it says %v", err)
		}
	})
	t.Run("are bound and evicted", func(t *testing.T) {
		_, err := client.CoreV1().Nodes().Create(t.Context(), node("evicts"), metav1.CreateOptions{})
		must(t, err)
		_, err = pods.Create(t.Context(), pod("evicted", ""), metav1.CreateOptions{})
		must(t, err)
		target := corev1.ObjectReference{Kind: "Node", Name: "evicts"}
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "evicted"}, Target: target}
		must(t, pods.Bind(t.Context(), binding, metav1.CreateOptions{}))
		// In protobuf, the default: evictions are read in it.
		evictions := clientset(t, config(t)).PolicyV1().Evictions("default")
		name := metav1.ObjectMeta{Name: "evicted", Namespace: "default"}
		must(t, evictions.Evict(t.Context(), &policyv1.Eviction{ObjectMeta: name}))
		isGoing(t, pods, "evicted")
	})
}

// isGoing waits until a pod is marked for deletion or is no more.
func isGoing(t *testing.T, pods typedcorev1.PodInterface, name string) {
	t.Helper()
	eventually(t, name+" goes", func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return true, nil
		}
		return err == nil && pod.DeletionTimestamp != nil, err
	})
}
