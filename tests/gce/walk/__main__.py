"""Shows Capstan with managed instance groups of a fake Google Cloud: what `./dev gce` runs.

    build/python/bin/python tests/gce/walk [FOLDER] [-- OPTION...]

There are two groups, one in each of two zones; tests/clouds/walk.py describes the rest.
"""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "clouds"))

import walk  # noqa: E402

PROJECT, ACCOUNT = "shop-prod", "capstan@shop-prod.iam.gserviceaccount.com"
KUBE_ENV = ("AUTOSCALER_ENV_VARS: kube_reserved=cpu=70m,memory=1773Mi,ephemeral-storage=5Gi;os=linux;"
            "os_distribution=cos\n")


def group_calls(name, zone):
    disk = {"sourceImage": "projects/cos-cloud/global/images/family/cos-stable", "diskSizeGb": "100"}
    return [
        ["compute.instanceTemplates.insert", {"project": PROJECT}, {"name": name, "properties": {
            "machineType": "n2-standard-2",
            "disks": [{"boot": True, "type": "PERSISTENT", "initializeParams": disk}],
            "networkInterfaces": [{"network": "global/networks/default"}],
            "metadata": {"items": [{"key": "kube-env", "value": KUBE_ENV}]}}}],
        ["compute.instanceGroupManagers.insert", {"project": PROJECT, "zone": zone}, {
            "name": name, "baseInstanceName": name, "targetSize": 0,
            "instanceTemplate": f"global/instanceTemplates/{name}"}],
    ]


def world():
    """The service account of the machine that Capstan runs on has the role deploy/gce/role.yaml."""
    return {
        "calls": group_calls("shop-web-a", "us-central1-a") + group_calls("shop-web-b", "us-central1-b"),
        "delays": {"launch": 0.5, "boot": 2, "delete": 1},
        "identities": {"accounts": [{"email": ACCOUNT, "roles": ["deploy/gce/role.yaml"]}], "machine_account": ACCOUNT},
    }


def sizes(groups, machines):
    return {name: (group["target"], sum(1 for machine in machines if machine["group"] == name and machine["ready"]))
            for name, group in groups.items()}


if __name__ == "__main__":
    walk.main(walk.Cloud(name="gce", prefix="gce://", package="googleapiclient", folder=HERE.parent, world=world(),
                         sizes=sizes, sentence="GCE: managed instance group {name}: target {wanted}, {running} running"),
              sys.argv[1:])
