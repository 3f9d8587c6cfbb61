"""Each public header compiles alone, as pedantic C11 and as C++11, with every compiler that is there."""

import os
import unittest

import compilers

HEADERS = sorted(name for name in os.listdir(os.path.join(compilers.INCLUDE, "nvpulse")) if name.endswith(".h"))
USE = "int main(void) { return nvmlInit == nvp_nvmlInit_v2 ? 0 : 1; }\n"


class HeadersTest(unittest.TestCase):
    def assert_compiles(self, program, flags=()):
        self.assertEqual([], compilers.check(program, list(flags)))

    def test_headers__each_compiles_alone(self):
        self.assertIn("nvml.h", HEADERS)
        programs = ["#include <nvpulse/%s>\nint main(void) { return 0; }\n" % name for name in HEADERS]
        results = compilers.in_parallel(lambda program: compilers.check(program, []), programs)
        self.assertEqual({}, {name: found for name, found in zip(HEADERS, results) if found})

    def test_headers__all_compile_together_and_twice(self):
        self.assert_compiles("".join("#include <nvpulse/%s>\n" % name for name in HEADERS * 2) + USE)

    def test_nvml__is_pedantic_c99_too(self):
        c_compilers = [(name, ["-std=c99", "-x", "c"]) for name, language in compilers.installed() if language == compilers.C_FLAGS]
        self.assertEqual([], compilers.check("#include <nvpulse/nvml.h>\n" + USE, [], c_compilers))

    def test_nvml__types_only_has_no_call_and_no_mapping(self):
        program = "#include <nvpulse/nvml.h>\nnvmlMemory_v2_t memory;\nint nvmlInit(void);\nint nvp_nvmlInit(void);\n"
        self.assert_compiles(program, ["-DNVPULSE_NVML_TYPES_ONLY"])
        found = compilers.macros(program, ["-DNVPULSE_NVML_TYPES_ONLY"])
        self.assertEqual([], [name for name, value in found.items() if value.startswith("nvp_nvml")])

    def test_nvml__calls_can_follow_types(self):
        self.assert_compiles("#define NVPULSE_NVML_TYPES_ONLY\n#include <nvpulse/nvml.h>\n#undef NVPULSE_NVML_TYPES_ONLY\n"
                             "#include <nvpulse/nvml.h>\n" + USE)

    def test_nvml__unversioned_names_can_be_switched_off(self):
        program = "#include <nvpulse/nvml.h>\nint main(void) { return nvmlInit == nvp_nvmlInit ? 0 : 1; }\n"
        self.assert_compiles(program, ["-DNVML_NO_UNVERSIONED_FUNC_DEFS"])

    def test_nvml__nvidias_header_is_skipped_after_ours(self):
        guarded = "#ifndef __nvml_nvml_h__\n#error a later nvml.h would not be skipped\n#endif\n"
        self.assert_compiles("#include <nvpulse/nvml.h>\n" + guarded + USE)

    def test_query__macros_are_there_in_both_languages(self):
        program = """#include <nvpulse/query.h>
        int use(nvmlDevice_t device, nvp_value *value);
        int use(nvmlDevice_t device, nvp_value *value) {
            nvmlPstates_t state = NVP_QUERY_OR((nvmlPstates_t)NVML_PSTATE_UNKNOWN, nvmlDeviceGetPerformanceState, device);
            unsigned int clock = NVP_QUERY_OR(0u, nvmlDeviceGetClock, device, NVML_CLOCK_SM, NVML_CLOCK_ID_CURRENT);
            unsigned long long energy = NVP_QUERY_OR(0ull, nvmlDeviceGetTotalEnergyConsumption, device);
            nvp_query("nvmlDeviceGetUUID", NVP_ARGS(nvp_arg_handle(device)), NULL, value);
            nvp_query("nvmlDeviceGetTemperature", NVP_ARGS(nvp_arg_handle(device), nvp_arg_uint(0)), NULL, value);
            return clock == 0 && energy == 0 && state == NVML_PSTATE_0;
        }
"""
        self.assert_compiles(program)

    def test_query__a_wrong_type_is_refused_in_both_languages(self):
        program = """#include <nvpulse/query.h>
        int main(void) { return (int)NVP_QUERY_OR(0ull, nvmlDeviceGetPowerUsage, (nvmlDevice_t)0); }
"""
        for name, language in compilers.installed():
            self.assertNotEqual([], compilers.check(program, ["-Wno-pedantic"], [(name, language)]), name)

    def test_nvml__has_no_sentence_of_nvidias(self):
        """Signs of a copied header: its comment marks and its phrases."""
        with open(os.path.join(compilers.INCLUDE, "nvpulse", "nvml.h"), encoding="utf-8") as file:
            text = file.read()
        for sign in ("//!<", "\\ref ", "@param", "For all products", "For Fermi", "NVIDIA Corporation", "Retrieves ", "See \\"):
            self.assertNotIn(sign, text)

    def test_nvml__macros_take_values_apart(self):
        program = """#include <nvpulse/nvml.h>
        #define CHECK(name, condition) typedef char check_##name[(condition) ? 1 : -1];
        CHECK(major, NVML_CUDA_DRIVER_VERSION_MAJOR(12040) == 12)
        CHECK(minor, NVML_CUDA_DRIVER_VERSION_MINOR(12040) == 4)
        CHECK(word, NVML_STRUCT_VERSION(Memory, 2) == 0x02000028u && nvmlMemory_v2 == 0x02000028u)
        CHECK(health, NVML_GPU_FABRIC_HEALTH_TEST(1u << NVML_GPU_FABRIC_HEALTH_MASK_SHIFT_DEGRADED_BW, _DEGRADED_BW, _TRUE))
        CHECK(ber, NVML_NVLINK_ERROR_COUNTER_BER_GET(0x0302, MANTISSA) == 3 && NVML_NVLINK_ERROR_COUNTER_BER_GET(0x0302, EXP) == 2)
        unsigned int set_and_get(nvmlMask255_t *mask);
        unsigned int set_and_get(nvmlMask255_t *mask) {
            NVML_255_MASK_BIT_SET_PTR(40, mask);
            NVML_255_MASK_BIT_SET(3, *mask);
            return NVML_255_MASK_BIT_GET_PTR(40, mask) | NVML_255_MASK_BIT_GET(3, *mask);
        }
"""
        self.assert_compiles(program)


if __name__ == "__main__":
    unittest.main()
