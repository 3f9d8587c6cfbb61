"""scripts/check-layers fails for each kind of step over a layer's border, and for nothing else."""

import unittest

from trees import GateTest

GUARDED = """
nvp_status nvp__guard_enter(void);
static inline int call(void)
{
    if (nvp__guard_enter_plainly() && nvp__guard_enter())
        return 1;
    nvp__guard_leave();
    return 0;
}
"""


class LayersTest(GateTest):
    gate = "check-layers"

    def test_layers__a_sound_tree_passes(self):
        self.assert_passes(
            {
                "src/base/log.c": '#include <stdio.h>\n#include <nvpulse/log.h>\n#include "base/log.h"\n',
                "src/driver/open.c": '#include <dlfcn.h>\n#include "abi/table.h"\nvoid *f(void) { return dlsym(0, "x"); }\n',
                "src/lifecycle/guarded.h": GUARDED,
                "src/lifecycle/guard.c": "nvp_status nvp__guard_enter(void)\n{\n    return 0;\n}\n",
                "src/query/query.c": '#include "lifecycle/guarded.h"\n// dlsym is named in a comment\n',
                "apps/cli/main.c": '#include <nvpulse/nvpulse.h>\n#include "cli.h"\n',
                "apps/cli/cli.h": "",
                "sim/driver/call.c": '#include "abi/functions.def"\n#include "world/world.h"\n',
                "sim/world/world.h": "",
                "shim/shim.c": '#include "shim.h"\n#include "query/call.h"\n#include "abi/functions.def"\n',
                "shim/shim.h": "",
            }
        )

    def test_layers__a_lower_layer_may_not_include_a_higher_one(self):
        self.assert_fails({"src/driver/open.c": '#include "query/query.h"\n'}, "src/driver/open.c:1", "layer driver includes")

    def test_layers__nor_the_public_header_of_a_higher_one(self):
        self.assert_fails({"src/driver/open.c": "#include <nvpulse/query.h>\n"}, "which is above it")

    def test_layers__no_layer_includes_everything(self):
        self.assert_fails({"src/query/query.c": "#include <nvpulse/nvpulse.h>\n"}, "which is above it")

    def test_layers__a_file_must_stand_in_a_layer(self):
        self.assert_fails({"src/stray.c": ""}, "stands in no layer")
        self.assert_fails({"src/misc/stray.c": ""}, "'misc' is no layer")

    def test_layers__a_front_end_may_not_look_inside(self):
        self.assert_fails({"apps/cli/main.c": '#include "base/log.h"\n'}, "a front end includes")
        self.assert_fails({"apps/cli/main.c": '#include "../../src/base/log.h"\n', "src/base/log.h": ""}, "a front end includes")

    def test_layers__nor_may_one_front_end_into_another(self):
        self.assert_fails({"apps/cli/main.c": '#include "../tui/tui.h"\n', "apps/tui/tui.h": ""}, "a front end includes")

    def test_layers__the_simulator_may_not_use_the_library(self):
        self.assert_fails({"sim/driver/call.c": '#include "query/query.h"\n'}, "the simulator includes")

    def test_layers__the_shim_may_not_use_the_model(self):
        self.assert_fails({"shim/shim.c": '#include "model/json.h"\n'}, "the shim includes")

    def test_layers__only_the_driver_layer_opens_libraries(self):
        for name in ("dlopen", "dlmopen", "dlsym", "dlvsym"):
            with self.subTest(name=name):
                self.assert_fails({"src/query/query.c": f"void *f = {name};\n"}, f"{name} is named outside src/driver")

    def test_layers__front_ends_and_simulator_do_not_open_libraries_either(self):
        self.assert_fails({"apps/cli/main.c": "void *f = dlopen;\n"}, "apps/cli/main.c:1")

    def test_layers__the_guard_stands_in_one_place(self):
        inside = "void f(void)\n{\n    nvp__guard_enter();\n}\n"
        self.assert_fails({"src/lifecycle/guarded.h": GUARDED, "src/query/q.c": inside}, "nvp__guard_enter is used outside")

    def test_layers__a_macro_does_not_hide_the_guard(self):
        hidden = "#define ENTER() \\\n    nvp__guard_enter()\n"
        self.assert_fails({"src/lifecycle/guarded.h": GUARDED, "src/query/q.h": hidden}, "nvp__guard_enter is used outside")

    def test_layers__and_there_only_once(self):
        self.assert_fails({"src/lifecycle/guarded.h": GUARDED + GUARDED}, "is called 2 times")

    def test_layers__a_tree_whose_guard_is_gone_fails(self):
        self.assert_fails({"src/lifecycle/state.c": ""}, "nvp__guard_leave is called 0 times")

    def test_layers__versioned_structs_stay_below_the_model(self):
        versioned = {"src/model/device.c": "nvmlMemory_v2_t memory;\n"}
        self.assert_passes(versioned)
        self.assert_fails({**versioned, "src/compat/family.c": ""}, "nvmlMemory_v2_t is a versioned NVML struct")
        self.assert_passes({"src/model/device.c": "int f(void)\n{\n    return nvmlDeviceGetCount_v2(0);\n}\n", "src/compat/family.c": ""})

    def test_layers__the_model_is_on_top_and_examples_see_it_through_the_public_headers(self):
        self.assert_passes({"src/model/a.c": '#include "compat/a.h"\n', "src/compat/a.h": ""})
        self.assert_fails({"src/query/a.c": '#include "model/a.h"\n', "src/model/a.h": ""}, 'layer query includes "model/a.h"')
        self.assert_fails({"examples/a.c": '#include "model/a.h"\n'}, 'a front end includes "model/a.h"')


if __name__ == "__main__":
    unittest.main()
