/* SPDX-License-Identifier: (BSD-2-Clause OR GPL-2.0-only) */
/* The few kernel types that the programs read, as CO-RE sees them: only the members used, relocated at load against the
 * running kernel's BTF. Hand-written so that a build needs no kernel of its own. */
