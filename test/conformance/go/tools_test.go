package conformance

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
	toolswatch "k8s.io/client-go/tools/watch"
)

// TestPager reads a list in pages, as everything that lists much does.
func TestPager(t *testing.T) {
	t.Parallel()
	config := config(t)
	wire := throughWire(config)
	nodes := clientset(t, config).CoreV1().Nodes()
	for at := range 5 {
		paged := node(fmt.Sprintf("paged-%d", at))
		paged.Labels["test"] = "paged"
		_, err := nodes.Create(t.Context(), paged, metav1.CreateOptions{})
		must(t, err)
	}
	before := wire.count(isList)
	list := func(options metav1.ListOptions) (runtime.Object, error) {
		return nodes.List(t.Context(), options)
	}
	inPages := pager.New(pager.SimplePageFunc(list))
	inPages.PageSize = 2
	whole, _, err := inPages.List(t.Context(), metav1.ListOptions{LabelSelector: "test=paged"})
	must(t, err)
	if items, err := meta.ExtractList(whole); err != nil || len(items) != 5 {
		t.Fatalf("listed %d, %v", len(items), err)
	}
	if pages := wire.count(isList) - before; pages < 3 {
		t.Fatalf("five in pages of two came in %d", pages)
	}
}

// TestRetryWatcher goes on from the last version by itself, which is how `kubectl wait` was built.
func TestRetryWatcher(t *testing.T) {
	t.Parallel()
	config := config(t)
	wire := throughWire(config)
	leases := clientset(t, config).CoordinationV1().Leases("default")
	list, err := leases.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	source := &cache.ListWatch{WatchFunc: func(options metav1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = "metadata.name=retried"
		return leases.Watch(t.Context(), options)
	}}
	watcher, err := toolswatch.NewRetryWatcherWithContext(t.Context(), list.ResourceVersion, source)
	must(t, err)
	defer watcher.Stop()
	wire.cut()
	_, err = leases.Create(t.Context(), lease("retried"), metav1.CreateOptions{})
	must(t, err)
	if event := <-watcher.ResultChan(); event.Type != watch.Added {
		t.Fatalf("it saw %v", event)
	}
}
