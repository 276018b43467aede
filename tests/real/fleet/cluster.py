"""A Ray cluster on this machine: a head that works not, and two nodes of one CPU each, until its standard
input ends.

    cluster.py FOLDER          writes FOLDER/address and FOLDER/raylets (process ids, the head's first)
"""

import pathlib
import sys

from ray.cluster_utils import Cluster

folder = pathlib.Path(sys.argv[1])
cluster = Cluster()
nodes = [
    cluster.add_node(
        num_cpus=cpus,
        object_store_memory=100 << 20,
        include_dashboard=False,
    )
    for cpus in (0, 1, 1)
]
cluster.wait_for_nodes()
raylets = [node.all_processes["raylet"][0].process.pid for node in nodes]
(folder / "raylets").write_text("\n".join(map(str, raylets)))
(folder / "address.new").write_text(cluster.address)
(folder / "address.new").rename(folder / "address")
sys.stdin.read()
cluster.shutdown()
