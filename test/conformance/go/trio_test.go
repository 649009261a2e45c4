package conformance

import (
	"context"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// trio is a node, a pod and a lease of one name, which come and go together.
type trio struct{ client kubernetes.Interface }

const trioSelector = "test=trio"

func (w trio) create(t *testing.T, name string) {
	t.Helper()
	labels := map[string]string{"test": "trio"}
	node, pod, lease := node(name), pod(name, ""), lease(name)
	node.Labels, pod.Labels, lease.Labels = labels, labels, labels
	_, err := w.client.CoreV1().Nodes().Create(t.Context(), node, metav1.CreateOptions{})
	must(t, err)
	_, err = w.client.CoreV1().Pods("default").Create(t.Context(), pod, metav1.CreateOptions{})
	must(t, err)
	leases := w.client.CoordinationV1().Leases("default")
	_, err = leases.Create(t.Context(), lease, metav1.CreateOptions{})
	must(t, err)
}

func (w trio) remove(t *testing.T, name string) {
	t.Helper()
	now := metav1.DeleteOptions{}
	must(t, w.client.CoreV1().Nodes().Delete(t.Context(), name, now))
	must(t, w.client.CoreV1().Pods("default").Delete(t.Context(), name, now))
	must(t, w.client.CoordinationV1().Leases("default").Delete(t.Context(), name, now))
}

// holds waits until a cache has these objects and no others.
func holds(t *testing.T, store cache.Store, names ...string) {
	t.Helper()
	cached := func() string {
		var found []string
		for _, key := range store.ListKeys() {
			found = append(found, strings.TrimPrefix(key, "default/"))
		}
		slices.Sort(found)
		return strings.Join(found, " ")
	}
	wanted := strings.Join(names, " ")
	eventually(t, "the cache holds "+wanted, func(context.Context) (bool, error) {
		return cached() == wanted, nil
	})
}
