package conformance

import (
	"os"
	"testing"

	"k8s.io/klog/v2"
)

// TestMain keeps client-go from telling at length of what is done to it here on purpose.
func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{})
	os.Exit(m.Run())
}
