"""The generated classes of the Python client: what they send, and what they insist on reading."""
import datetime
import unittest

from kubernetes import client, dynamic
from server import core, leases, node

UTC = datetime.timezone.utc


class Objects(unittest.TestCase):
    def test_a_node_is_created_read_replaced_listed_and_deleted(self):
        created = core.create_node(node("py-crud", test="py-crud"))
        self.assertTrue(created.metadata.uid)
        created.metadata.annotations = {"seen": "yes"}
        replaced = core.replace_node("py-crud", created)
        self.assertNotEqual(replaced.metadata.resource_version, created.metadata.resource_version)
        with self.assertRaises(client.ApiException) as stale:
            core.replace_node("py-crud", created)
        self.assertEqual((stale.exception.status, stale.exception.reason), (409, "Conflict"))
        listed = core.list_node(label_selector="test=py-crud").items
        self.assertEqual([each.metadata.annotations["seen"] for each in listed], ["yes"])
        core.delete_node("py-crud")
        with self.assertRaises(client.ApiException) as gone:
            core.read_node("py-crud")
        self.assertEqual(gone.exception.status, 404)

    def test_a_lease_keeps_its_times(self):
        now = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
        spec = client.V1LeaseSpec(
            holder_identity="me", lease_duration_seconds=15, acquire_time=now, renew_time=now
        )
        body = client.V1Lease(metadata=client.V1ObjectMeta(name="py-lease"), spec=spec)
        created = leases.create_namespaced_lease("default", body)
        self.assertEqual((created.spec.acquire_time, created.spec.renew_time), (now, now))
        later = now.replace(microsecond=0) + datetime.timedelta(seconds=10)
        created.spec.renew_time = later
        renewed = leases.replace_namespaced_lease("py-lease", "default", created)
        self.assertEqual(renewed.spec.renew_time, later)
        leases.delete_namespaced_lease("py-lease", "default")

    def test_an_event_and_a_namespace(self):
        core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name="py")))
        about = client.V1ObjectReference(kind="Pod", namespace="py", name="p")
        body = client.CoreV1Event(
            metadata=client.V1ObjectMeta(generate_name="e."), involved_object=about, reason="Up"
        )
        made = core.create_namespaced_event("py", body)
        found = core.list_namespaced_event("py", field_selector="involvedObject.name=p").items
        self.assertEqual([each.metadata.name for each in found], [made.metadata.name])
        core.delete_namespaced_event(made.metadata.name, "py")
        core.delete_namespace("py")

    def test_a_list_comes_in_pages(self):
        names = [f"py-page-{at}" for at in range(5)]
        for name in names:
            core.create_node(node(name, test="py-page"))
        pages, token = [], None
        while not pages or token:
            page = core.list_node(label_selector="test=py-page", limit=2, _continue=token)
            pages.append([each.metadata.name for each in page.items])
            token = page.metadata._continue
        self.assertEqual(pages, [names[0:2], names[2:4], names[4:5]])

    def test_patches_of_every_kind(self):
        core.create_node(node("py-patch", kept="yes"))
        bodies = {
            "application/strategic-merge-patch+json": {
                "metadata": {"labels": {"strategic": "yes"}}
            },
            "application/merge-patch+json": {"metadata": {"labels": {"merge": "yes"}}},
            "application/json-patch+json": [
                {"op": "add", "path": "/metadata/labels/json", "value": "yes"}
            ],
        }
        for content_type, body in bodies.items():
            core.patch_node("py-patch", body, _content_type=content_type)
        applied = node("py-patch", applied="yes")
        applied.api_version, applied.kind = "v1", "Node"
        core.patch_node(
            "py-patch", applied, field_manager="py", force=True,
            _content_type="application/apply-patch+yaml",
        )
        labels = core.read_node("py-patch").metadata.labels
        self.assertEqual(set(labels), {"kept", "strategic", "merge", "json", "applied"})

    def test_a_status_is_patched_with_a_plain_dictionary(self):
        core.create_node(node("py-status"))
        ready = {"type": "Ready", "status": "True", "reason": "Up", "message": "it is"}
        core.patch_node_status("py-status", {"status": {"conditions": [ready]}})
        conditions = core.read_node_status("py-status").status.conditions
        self.assertEqual([(each.type, each.status) for each in conditions], [("Ready", "True")])

    def test_a_pod_is_evicted(self):
        spec = client.V1PodSpec(containers=[client.V1Container(name="main", image="busybox")])
        body = client.V1Pod(metadata=client.V1ObjectMeta(name="py-pod"), spec=spec)
        core.create_namespaced_pod("default", body)
        eviction = client.V1Eviction(metadata=client.V1ObjectMeta(name="py-pod"))
        core.create_namespaced_pod_eviction("py-pod", "default", eviction)
        with self.assertRaises(client.ApiException) as gone:
            core.read_namespaced_pod("py-pod", "default")
        self.assertEqual(gone.exception.status, 404)

    def test_the_dynamic_client_finds_its_way_by_discovery(self):
        found = dynamic.DynamicClient(client.ApiClient())
        nodes = found.resources.get(api_version="v1", kind="Node")
        body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "py-dynamic"}}
        self.assertEqual(nodes.create(body=body).metadata.name, "py-dynamic")
        nodes.delete(name="py-dynamic")

    def test_who_am_i_and_what_may_i(self):
        me = client.AuthenticationV1Api().create_self_subject_review(client.V1SelfSubjectReview())
        self.assertIn("system:masters", me.status.user_info.groups)
        attributes = client.V1ResourceAttributes(verb="delete", resource="nodes")
        spec = client.V1SelfSubjectAccessReviewSpec(resource_attributes=attributes)
        review = client.V1SelfSubjectAccessReview(spec=spec)
        answer = client.AuthorizationV1Api().create_self_subject_access_review(review)
        self.assertTrue(answer.status.allowed)
