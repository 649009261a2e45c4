package conformance

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

// object is a pointer to one of the types of k8s.io/api.
type object[T any] interface {
	*T
	metav1.Object
	runtime.Object
}

// typed is what every generated client offers.
type typed[P any, L runtime.Object] interface {
	Create(context.Context, P, metav1.CreateOptions) (P, error)
	Get(context.Context, string, metav1.GetOptions) (P, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Update(context.Context, P, metav1.UpdateOptions) (P, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
}

// TestCRUD sends every kind in every content type. An empty one is what nearly all programs use.
func TestCRUD(t *testing.T) {
	for name, contentType := range map[string]string{
		"default":  "",
		"json":     runtime.ContentTypeJSON,
		"protobuf": runtime.ContentTypeProtobuf,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := config(t)
			config.ContentType = contentType
			client := clientset(t, config)
			core, leases := client.CoreV1(), client.CoordinationV1().Leases("default")
			called := "crud-" + name
			t.Run("nodes", func(t *testing.T) { crud(t, core.Nodes(), node(called), nodeContent) })
			t.Run("leases", func(t *testing.T) { crud(t, leases, lease(called), leaseContent) })
			t.Run("events", func(t *testing.T) {
				crud(t, core.Events("default"), event(called), eventContent)
			})
			t.Run("namespaces", func(t *testing.T) {
				crud(t, core.Namespaces(), namespace(called), namespaceContent)
			})
		})
	}
}

// crud is the life of one object. content is what has to come back exactly as it was sent.
func crud[T any, P object[T], L runtime.Object](
	t *testing.T, client typed[P, L], fresh P, content func(P) any,
) {
	ctx, name := t.Context(), fresh.GetName()

	created, err := client.Create(ctx, fresh, metav1.CreateOptions{})
	must(t, err)
	if created.GetUID() == "" || created.GetResourceVersion() == "" {
		t.Fatalf("created without uid or version: %v", created)
	}
	if sent, got := content(fresh), content(created); !equality.Semantic.DeepEqual(sent, got) {
		t.Fatalf("sent %+v\ngot %+v", sent, got)
	}
	_, err = client.Create(ctx, fresh, metav1.CreateOptions{})
	expect(t, apierrors.IsAlreadyExists, err)

	updated := annotate(t, client, name)
	if updated.GetResourceVersion() == created.GetResourceVersion() {
		t.Fatal("an update kept the version")
	}
	_, err = client.Update(ctx, created, metav1.UpdateOptions{})
	expect(t, apierrors.IsConflict, err)

	list, err := client.List(ctx, metav1.ListOptions{LabelSelector: "test=" + name})
	must(t, err)
	if items, err := meta.ExtractList(list); err != nil || len(items) != 1 {
		t.Fatalf("listed %v, %v", items, err)
	}

	other := metav1.Preconditions{UID: ptr.To(types.UID("11111111-2222-3333-4444-555555555555"))}
	err = client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &other})
	expect(t, apierrors.IsConflict, err)
	own := metav1.Preconditions{UID: ptr.To(created.GetUID())}
	must(t, client.Delete(ctx, name, metav1.DeleteOptions{Preconditions: &own}))
	_, err = client.Get(ctx, name, metav1.GetOptions{})
	expect(t, apierrors.IsNotFound, err)
}

// annotate reads, changes and writes; the monitor writes nodes, too, hence the retry.
func annotate[T any, P object[T], L runtime.Object](
	t *testing.T, client typed[P, L], name string,
) P {
	t.Helper()
	var updated P
	must(t, retry.RetryOnConflict(retry.DefaultRetry, func() error {
		read, err := client.Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		read.SetAnnotations(map[string]string{"seen": "yes"})
		updated, err = client.Update(t.Context(), read, metav1.UpdateOptions{})
		return err
	}))
	if updated.GetAnnotations()["seen"] != "yes" {
		t.Fatalf("the annotation is not in %v", updated)
	}
	return updated
}
