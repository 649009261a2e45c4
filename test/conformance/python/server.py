"""Where the server is (KUBECONFIG says so), and how to wait for what it does."""
import logging
import time

from kubernetes import client, config

# It tells at length of what is done to it here on purpose.
logging.disable(logging.CRITICAL)
config.load_kube_config()
core = client.CoreV1Api()
leases = client.CoordinationV1Api()

WITHIN_SECONDS = 30
LOOK_SECONDS = 0.05


def eventually(what, holds):
    """Waits for a condition with a deadline, never for a duration."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {WITHIN_SECONDS} s: {what}")
        time.sleep(LOOK_SECONDS)


def node(name, **labels):
    return client.V1Node(metadata=client.V1ObjectMeta(name=name, labels=labels))
