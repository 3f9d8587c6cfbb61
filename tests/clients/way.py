"""How a client comes to a simulated driver, and what the checks have in common."""

import functools
import os
import subprocess


class Failure(Exception):
    """A client printed something else than what is true."""


def require(condition, message):
    if not condition:
        raise Failure(message)


def expect(found, wanted, what):
    require(found == wanted, f"{what}: {found!r}, not {wanted!r}")


class Way:
    """The libnvidia-ml.so.1 that the client finds in `folder`, what it is told in the environment, and the driver behind it.

    `simulated` is the folder of that driver.
    """

    # Drivers whose third process call has records of 32 bytes, which clients read as 24: from the second on all is shifted.
    LONG_RECORDS = ("535.54.03",)

    def __init__(self, name, folder, driver, simulated, **environment):
        self.name, self.folder, self.driver, self.simulated, self.environment = name, folder, driver, simulated, environment
        self.has_long_records = name == "direct" and driver in self.LONG_RECORDS

    @functools.cached_property
    def exports(self):
        return exports_of(self.folder)

    def has(self, *functions):
        """Whether the client finds all these functions."""
        return self.exports.issuperset(functions)

    @functools.cached_property
    def driver_exports(self):
        return exports_of(self.simulated)

    def driver_has(self, *functions):
        """Whether the driver itself has them."""
        return self.driver_exports.issuperset(functions)


def exports_of(folder):
    library = os.path.join(folder, "libnvidia-ml.so.1")
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listing.splitlines() if line.split()[-1].startswith("nvml")}


def ways(build, driver):
    """All ways to a simulated driver of this build: it alone, and below the shim."""
    simulated, shim = os.path.join(build, "sim", driver), os.path.join(build, "shim")
    yield Way("direct", simulated, driver, simulated)
    if os.path.exists(os.path.join(shim, "libnvidia-ml.so.1")):
        yield Way("shim", shim, driver, simulated, NVPULSE_NVML_PATH=os.path.join(simulated, "libnvidia-ml.so.1"))
