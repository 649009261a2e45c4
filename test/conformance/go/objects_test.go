package conformance

import (
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Fields of every shape: pointers to nothing much, maps, quantities, times, lists of objects.

var (
	second = metav1.NewTime(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	micro  = metav1.NewMicroTime(time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC))
)

func labelled(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"test": name}}
}

func lease(name string) *coordinationv1.Lease {
	return &coordinationv1.Lease{
		ObjectMeta: labelled(name),
		Spec: coordinationv1.LeaseSpec{
			HolderIdentity:       ptr.To("somebody"),
			LeaseDurationSeconds: ptr.To[int32](15),
			AcquireTime:          &micro,
			RenewTime:            &micro,
			LeaseTransitions:     ptr.To[int32](0),
		},
	}
}

func leaseContent(lease *coordinationv1.Lease) any { return lease.Spec }

func node(name string) *corev1.Node {
	resources := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse("1500m"),
		corev1.ResourceMemory: resource.MustParse("8Gi"),
	}
	return &corev1.Node{
		ObjectMeta: labelled(name),
		Spec: corev1.NodeSpec{
			ProviderID:    "rack://" + name,
			Unschedulable: true,
			PodCIDR:       "10.0.0.0/24",
			PodCIDRs:      []string{"10.0.0.0/24"},
		},
		Status: corev1.NodeStatus{
			Capacity:    resources,
			Allocatable: resources,
			Conditions: []corev1.NodeCondition{{
				Type: corev1.NodeReady, Status: corev1.ConditionFalse, Reason: "KubeletNotReady",
				Message: "new", LastHeartbeatTime: second, LastTransitionTime: second,
			}},
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: "10.0.0.1"},
				{Type: corev1.NodeInternalIP, Address: "fd00::1"},
				{Type: corev1.NodeHostName, Address: name},
			},
			DaemonEndpoints: corev1.NodeDaemonEndpoints{
				KubeletEndpoint: corev1.DaemonEndpoint{Port: 10250},
			},
			NodeInfo: corev1.NodeSystemInfo{
				MachineID: "m", SystemUUID: "s", BootID: "b", KernelVersion: "6.1",
				OSImage: "Debian", ContainerRuntimeVersion: "containerd://2", KubeletVersion: "v1.37.2",
				OperatingSystem: "linux", Architecture: "amd64",
				Swap: &corev1.NodeSwapStatus{Capacity: ptr.To[int64](1 << 33)},
			},
			Images: []corev1.ContainerImage{{Names: []string{"a", "b"}, SizeBytes: 5_000_000_000}},
		},
	}
}

// The server adds a taint of its own to what a new node brings along.
func nodeContent(node *corev1.Node) any {
	spec := node.Spec
	spec.Taints = nil
	return []any{spec, node.Status}
}

func event(name string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta: labelled(name),
		InvolvedObject: corev1.ObjectReference{
			Kind: "Node", Name: "host", UID: "host", APIVersion: "v1",
		},
		Reason: "Up", Message: "it is up", Type: corev1.EventTypeNormal, Count: 3,
		Source:         corev1.EventSource{Component: "kubelet", Host: "host"},
		FirstTimestamp: second, LastTimestamp: second, EventTime: micro,
		Series:              &corev1.EventSeries{Count: 2, LastObservedTime: micro},
		Action:              "Start",
		ReportingController: "kubelet", ReportingInstance: "host",
	}
}

func eventContent(event *corev1.Event) any {
	content := *event
	content.TypeMeta, content.ObjectMeta = metav1.TypeMeta{}, metav1.ObjectMeta{}
	return content
}

func namespace(name string) *corev1.Namespace {
	return &corev1.Namespace{ObjectMeta: labelled(name)}
}

func namespaceContent(namespace *corev1.Namespace) any { return namespace.Labels["test"] }

func pod(name, nodeName string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: labelled(name),
		Spec: corev1.PodSpec{
			NodeName:                      nodeName,
			TerminationGracePeriodSeconds: ptr.To[int64](1),
			Containers:                    []corev1.Container{{Name: "main", Image: "busybox"}},
		},
	}
}
