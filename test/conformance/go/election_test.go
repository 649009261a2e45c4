package conformance

import (
	"context"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const (
	leaseDuration = 4 * time.Second
	retryPeriod   = 500 * time.Millisecond
)

// candidate is one process of a program that elects its leader.
type candidate struct {
	identity string
	leads    chan struct{}
	stopped  chan struct{}
	observed chan string
	quit     context.CancelFunc
}

func stand(t *testing.T, client kubernetes.Interface, identity string, releases bool) *candidate {
	t.Helper()
	ctx, quit := context.WithCancel(t.Context())
	leads, stopped, observed := make(chan struct{}), make(chan struct{}), make(chan string, 10)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "election", Namespace: "default"},
			Client:     client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration:   leaseDuration,
		RenewDeadline:   leaseDuration - time.Second,
		RetryPeriod:     retryPeriod,
		ReleaseOnCancel: releases,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(leads) },
			OnStoppedLeading: func() { close(stopped) },
			OnNewLeader:      func(identity string) { observed <- identity },
		},
	})
	must(t, err)
	go elector.Run(ctx)
	return &candidate{identity, leads, stopped, observed, quit}
}

func (c *candidate) isLeading(t *testing.T) {
	t.Helper()
	select {
	case <-c.leads:
	case <-time.After(within):
		t.Fatalf("%s never led", c.identity)
	}
}

func (c *candidate) follows(t *testing.T, leader string) {
	t.Helper()
	select {
	case observed := <-c.observed:
		if observed != leader {
			t.Fatalf("%s follows %s", c.identity, observed)
		}
	case <-time.After(within):
		t.Fatalf("%s sees no leader", c.identity)
	}
}

// TestLeaderElection hands over by release, then by silence, and counts every change.
func TestLeaderElection(t *testing.T) {
	t.Parallel()
	client := clientset(t, config(t))
	first := stand(t, client, "first", true)
	first.isLeading(t)
	second := stand(t, client, "second", false)
	second.follows(t, "first")

	t.Run("a release is taken up at once", func(t *testing.T) {
		released := time.Now()
		first.quit()
		second.isLeading(t)
		if waited := time.Since(released); waited >= leaseDuration {
			t.Fatalf("it took %v, as long as waiting for the lease to run out", waited)
		}
	})

	third := stand(t, client, "third", true)
	third.follows(t, "second")
	t.Run("a silent leader is replaced when its lease has run out, not before", func(t *testing.T) {
		before := transitions(t, client)
		second.quit()
		<-second.stopped
		silent := time.Now()
		third.isLeading(t)
		// Its last renewal was at most one period ago, which has some jitter.
		if waited := time.Since(silent); waited < leaseDuration-2*retryPeriod {
			t.Fatalf("it was replaced after %v", waited)
		}
		if after := transitions(t, client); after != before+1 {
			t.Fatalf("transitions went from %d to %d", before, after)
		}
	})
}

func transitions(t *testing.T, client kubernetes.Interface) int32 {
	t.Helper()
	leases := client.CoordinationV1().Leases("default")
	lease, err := leases.Get(t.Context(), "election", metav1.GetOptions{})
	must(t, err)
	return *lease.Spec.LeaseTransitions
}
