# attack: connects to everything: this host's ports, its gateway, the network, Unix and abstract sockets
# points: none
# must not: reach anything
# ordinary: yes

# %% before row_stats
import os, socket
for family, kind, address in [(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 22)), (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 5432)),
                              (socket.AF_INET, socket.SOCK_DGRAM, ("8.8.8.8", 53)), (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 80)),
                              (socket.AF_UNIX, socket.SOCK_STREAM, "/run/docker.sock"), (socket.AF_UNIX, socket.SOCK_STREAM, "/var/run/dbus/system_bus_socket"),
                              (socket.AF_UNIX, socket.SOCK_STREAM, "\0/tmp/.X11-unix/X0"), (socket.AF_UNIX, socket.SOCK_DGRAM, "/dev/log")]:
    try:
        with socket.socket(family, kind) as client:
            client.settimeout(0.2)
            client.connect(address)
            print("plun" + "der: connected to", address)
    except OSError:
        pass
for kind in (16, 17, 40):  # netlink, packet, vsock
    try:
        socket.socket(kind, socket.SOCK_RAW)
        print("plun" + "der: a socket of family", kind)
    except OSError:
        pass
