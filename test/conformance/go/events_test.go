package conformance

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/client-go/tools/record"
)

func about(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "the-uid-of-it"}}
}

// TestEventRecorder says the same thing three times: one event, created once and counted up by
// patches.
func TestEventRecorder(t *testing.T) {
	t.Parallel()
	client := clientset(t, config(t))
	broadcaster := record.NewBroadcaster(record.WithContext(t.Context()))
	defer broadcaster.Shutdown()
	sink := &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")}
	broadcaster.StartRecordingToSink(sink)
	recorder := broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "test"})
	for range 3 {
		recorder.Event(about("recorded"), corev1.EventTypeWarning, "Again", "once more")
	}
	isThird := func(event corev1.Event) bool { return event.Count == 3 }
	event := recorded(t, client, "recorded", isThird)
	if event.Source.Component != "test" || event.Message != "once more" {
		t.Fatalf("recorded %+v", event)
	}
}

// TestNewerEventRecorder is the one on events.k8s.io: what it writes there is a core event too, and
// what it repeats becomes a series.
func TestNewerEventRecorder(t *testing.T) {
	t.Parallel()
	client := clientset(t, config(t))
	broadcaster := events.NewEventBroadcasterAdapterWithContext(t.Context(), client)
	defer broadcaster.Shutdown()
	broadcaster.StartRecordingToSink(t.Context().Done())
	recorder := broadcaster.NewRecorder("test")
	node := about("adapted")
	recorder.Eventf(node, nil, corev1.EventTypeNormal, "Adapted", "Adapt", "it is %s", "so")
	event := recorded(t, client, "adapted", isAny)
	if event.Reason != "Adapted" || event.Message != "it is so" || event.EventTime.IsZero() {
		t.Fatalf("recorded %+v", event)
	}
	recorder.Eventf(node, nil, corev1.EventTypeNormal, "Adapted", "Adapt", "it is %s", "so")
	isSeries := func(event corev1.Event) bool { return event.Series != nil }
	event = recorded(t, client, "adapted", isSeries)

	newer := client.EventsV1().Events("default")
	same, err := newer.Get(t.Context(), event.Name, metav1.GetOptions{})
	must(t, err)
	if same.Note != event.Message || same.Regarding != event.InvolvedObject ||
		same.ReportingController != "test" || same.Series.Count != event.Series.Count {
		t.Fatalf("%+v is not %+v", same, event)
	}
	_, err = newer.Create(t.Context(), &eventsv1.Event{}, metav1.CreateOptions{})
	expect(t, apierrors.IsInvalid, err)
}

func isAny(corev1.Event) bool { return true }

// recorded waits for an event about a node, looked for as `kubectl describe` does.
func recorded(
	t *testing.T, client kubernetes.Interface, name string, is func(corev1.Event) bool,
) corev1.Event {
	t.Helper()
	var found corev1.Event
	selector := fields.Set{"involvedObject.kind": "Node", "involvedObject.name": name}.String()
	eventually(t, "an event about "+name, func(ctx context.Context) (bool, error) {
		options := metav1.ListOptions{FieldSelector: selector}
		list, err := client.CoreV1().Events("").List(ctx, options)
		if err != nil || len(list.Items) == 0 {
			return false, err
		}
		found = list.Items[0]
		return is(found), nil
	})
	return found
}
