// SPDX-License-Identifier: Apache-2.0
// The parts of the TPM2 Software Stack that Baton uses (tpm2-tss, Debian: libtss2-dev).
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>
