"""Leader election as the Python client brings it along."""
import threading
import time
import unittest

from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock
from server import WITHIN_SECONDS, leases

LEASE_SECONDS = 4


class Candidate:
    def __init__(self, identity):
        self.leads = threading.Event()
        self.dies = threading.Event()
        lock = LeaseLock("py-election", "default", identity)
        settings = electionconfig.Config(
            lock, lease_duration=LEASE_SECONDS, renew_deadline=3, retry_period=1,
            onstarted_leading=self.lead, onstopped_leading=lambda: None,
        )
        election = leaderelection.LeaderElection(settings)
        threading.Thread(target=election.run, daemon=True).start()

    def lead(self):
        self.leads.set()
        self.dies.wait()
        # This is how it is told to stop; it does not release.
        raise RuntimeError("enough")


class Election(unittest.TestCase):
    def test_a_silent_leader_is_replaced_when_its_lease_has_run_out(self):
        first = Candidate("first")
        self.assertTrue(first.leads.wait(WITHIN_SECONDS))
        self.assertEqual(self.transitions(), 0)
        second = Candidate("second")
        # Longer than a lease: it was renewed in between.
        self.assertFalse(second.leads.wait(LEASE_SECONDS + 2))
        first.dies.set()
        silent = time.monotonic()
        self.assertTrue(second.leads.wait(WITHIN_SECONDS))
        self.assertGreater(time.monotonic() - silent, LEASE_SECONDS - 2)
        self.assertEqual(self.transitions(), 1)

    def transitions(self):
        """This client never writes them; the server counts."""
        return leases.read_namespaced_lease("py-election", "default").spec.lease_transitions or 0
