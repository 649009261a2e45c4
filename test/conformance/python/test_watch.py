"""Watches and the informer of the Python client."""
import unittest

from kubernetes import client, informer, watch
from server import core, eventually, node


class Watching(unittest.TestCase):
    def test_a_watch_tells_what_comes_changes_and_goes(self):
        version = core.list_node().metadata.resource_version
        core.create_node(node("py-watch", test="py-watch"))
        # What the watch tells brings about the next thing to tell.
        next_step = {
            "ADDED": lambda: core.patch_node("py-watch", {"spec": {"unschedulable": True}}),
            "MODIFIED": lambda: core.delete_node("py-watch"),
        }
        told = []
        stream = watch.Watch().stream(
            core.list_node, resource_version=version, label_selector="test=py-watch",
            timeout_seconds=30,
        )
        for event in stream:
            # The same may be told twice, and of what had other labels a moment ago, that it left.
            if event["object"].metadata.name != "py-watch" or event["type"] in told:
                continue
            told.append(event["type"])
            if event["type"] == "DELETED":
                break
            next_step[event["type"]]()
        self.assertEqual(told, ["ADDED", "MODIFIED", "DELETED"])

    def test_a_forgotten_version_is_410(self):
        with self.assertRaises(client.ApiException) as gone:
            list(watch.Watch().stream(core.list_node, resource_version="1", timeout_seconds=5))
        self.assertEqual(gone.exception.status, 410)

    def test_an_informer_keeps_up(self):
        core.create_node(node("py-first", test="py-informer"))
        nodes = informer.SharedInformer(core.list_node, label_selector="test=py-informer")
        nodes.start()

        def holds(*names):
            wanted = sorted(names)
            eventually(wanted, lambda: sorted(nodes.cache.list_keys()) == wanted)

        holds("py-first")
        core.create_node(node("py-second", test="py-informer"))
        holds("py-first", "py-second")
        core.delete_node("py-first")
        holds("py-second")
        nodes.stop()
