"""JupyterHub for a class; docs/shared_server.md says how it is installed and why it is so."""

import sys

c = get_config()  # noqa: F821 - whoever reads this file brings it

# The door. Passwords pass it, so what stands before it to the outside speaks TLS.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"

# Who comes in: accounts of this machine, by their groups. Teachers can stop and enter servers.
c.JupyterHub.authenticator_class = "pam"
c.PAMAuthenticator.allowed_groups = {"students", "teachers"}
c.PAMAuthenticator.admin_groups = {"teachers"}

# What each gets: the lessons in a folder of their own, in a service of their own.
c.JupyterHub.spawner_class = "systemd"
c.Spawner.cmd = [f"{sys.prefix}/bin/mcp-workbench", "lab", "--hub", "--folder", "~/mcp-lessons"]
c.Spawner.disable_user_config = True
c.SystemdSpawner.isolate_tmp = True
c.SystemdSpawner.isolate_devices = True
c.SystemdSpawner.disable_user_sudo = True
c.SystemdSpawner.unit_extra_properties = {
    "OOMPolicy": "continue",  # the kernel that took too much ends, not everything of its user
    "ProtectProc": "invisible",
    "TasksMax": "512",
    "TimeoutStopSec": "20",
}

# How much of the machine that may be. When a whole class comes at once, starting takes a while.
c.Spawner.mem_limit = "1G"
c.Spawner.cpu_limit = 1.0
c.Spawner.start_timeout = 120
c.Spawner.http_timeout = 120

# What nobody uses ends: a kernel after half an hour, a server after an hour.
c.Spawner.args = [
    "--MappingKernelManager.cull_idle_timeout=1800",
    "--LanguageServerManager.autodetect=False",  # would ask npm at each start
]
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]
