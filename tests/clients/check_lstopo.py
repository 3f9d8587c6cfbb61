"""lstopo shows the devices among the others of this machine, with what identifies them and how they are linked."""

import os
import re
import subprocess
import xml.etree.ElementTree

import machine as truth
from way import expect, require


def needs(client):
    """The functions without which its plugin cannot be loaded; it is linked so that all are looked up at once."""
    plugin = os.path.join(client.libraries, "hwloc", "hwloc_nvml.so")
    listing = subprocess.run(["nm", "-D", "--undefined-only", plugin], check=True, capture_output=True, text=True).stdout
    found = set(re.findall(r"\bnvml[A-Z]\w*", listing))
    require(len(found) > 10, f"{plugin} needs {found}")
    return found


def check(client, way, machine):
    def shown(*arguments):
        done = client.run(way.folder, *arguments, **machine.environment(), **way.environment)
        require(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
        return done.stdout

    document = xml.etree.ElementTree.fromstring(shown("--of", "xml"))
    devices = [node for node in document.iter("object") if node.get("name", "").startswith("nvml")]
    console = shown("--of", "console", "-v")
    if not way.has(*needs(client)):
        expect((devices, "nvml" in console), ([], False), "devices without a plugin")
        return "no plugin"
    check_xml(devices)
    check_console(console)
    check_links(shown("--distances"), way)
    return "ok"


def check_xml(devices):
    expect(len(devices), len(truth.DEVICES), "devices in the XML")
    for index, (node, device) in enumerate(zip(devices, truth.DEVICES)):
        found = {info.get("name"): info.get("value") for info in node.iter("info")}
        wanted = {
            "Backend": "NVML",
            "GPUVendor": "NVIDIA Corporation",
            "GPUModel": device["name"],
            "NVIDIASerial": device["serial"],
            "NVIDIAUUID": device["uuid"],
        }
        expect((node.get("name"), node.get("subtype"), found), (f"nvml{index}", "NVML", wanted), "device in the XML")


def check_console(text):
    lines = [line.strip() for line in text.splitlines() if "(NVML)" in line]
    expect(len(lines), len(truth.DEVICES), "devices on the console")
    for index, (line, device) in enumerate(zip(lines, truth.DEVICES)):
        for part in (f'"nvml{index}"', f'GPUModel="{device["name"]}"', f"NVIDIAUUID={device['uuid']}"):
            require(part in line, f"no {part} in {line}")


def check_links(text, way):
    """The matrix of NVLink bandwidth: what lies between both is the same in both directions and grows with the links."""
    if not way.driver_has("nvmlDeviceGetNvLinkState"):
        expect(text, "", "links of a driver that knows none")
        return
    rows = re.findall(r"^ +nvml\d +(\d+) +(\d+)$", text, re.MULTILINE)
    expect(len(rows), len(truth.DEVICES), f"rows of the NVLink matrix in {text!r}")
    (_, there), (back, _) = rows
    expect(there, back, "bandwidth there and back")
    # Releases of hwloc that do not know this NVLink version take the speed of the next one, twice as fast.
    whole = truth.NVLINK["links"] * truth.NVLINK["mbps"]
    require(int(there) in (whole, 2 * whole), f"NVLink bandwidth {there}, not {whole}")
