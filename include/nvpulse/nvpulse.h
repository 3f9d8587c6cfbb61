/*
 * All of nvpulse: safe access to NVIDIA's management library (NVML).
 * Link with -lnvpulse (pkg-config nvpulse, or the CMake target nvpulse::nvpulse) instead of -lnvidia-ml.
 */
#ifndef NVPULSE_NVPULSE_H
#define NVPULSE_NVPULSE_H

#include <nvpulse/base.h>
#include <nvpulse/collector.h>
#include <nvpulse/device.h>
#include <nvpulse/driver.h>
#include <nvpulse/function.h>
#include <nvpulse/lifecycle.h>
#include <nvpulse/log.h>
#include <nvpulse/metric.h>
#include <nvpulse/nvml.h>
#include <nvpulse/process.h>
#include <nvpulse/query.h>
#include <nvpulse/sampler.h>
#include <nvpulse/snapshot.h>
#include <nvpulse/status.h>
#include <nvpulse/trace.h>
#include <nvpulse/value.h>

#endif
