package conformance

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// TestDynamicClient knows no types: what it sends and gets is what the JSON says.
func TestDynamicClient(t *testing.T) {
	t.Parallel()
	client, err := dynamic.NewForConfig(config(t))
	must(t, err)
	nodes := client.Resource(corev1.SchemeGroupVersion.WithResource("nodes"))
	fresh := &unstructured.Unstructured{}
	fresh.SetAPIVersion("v1")
	fresh.SetKind("Node")
	fresh.SetName("dynamic")
	_, err = nodes.Create(t.Context(), fresh, metav1.CreateOptions{})
	must(t, err)

	fresh.SetLabels(map[string]string{"applied": "yes"})
	options := metav1.ApplyOptions{FieldManager: "test", Force: true}
	applied, err := nodes.Apply(t.Context(), "dynamic", fresh, options)
	must(t, err)
	if applied.GetLabels()["applied"] != "yes" || applied.GetKind() != "Node" {
		t.Fatalf("applied %v", applied)
	}
	must(t, nodes.Delete(t.Context(), "dynamic", metav1.DeleteOptions{}))
	_, err = nodes.Get(t.Context(), "dynamic", metav1.GetOptions{})
	expect(t, apierrors.IsNotFound, err)
}
