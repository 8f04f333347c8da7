// SPDX-License-Identifier: Apache-2.0
// The part of Dispatch's headers that scripts/check/objc-face needs on Linux.
#pragma once
#include "ObjectiveC.h"

#pragma clang assume_nonnull begin

__attribute__((swift_name("DispatchQueue")))
@interface OS_dispatch_queue : NSObject
@end
typedef OS_dispatch_queue *dispatch_queue_t;

dispatch_queue_t dispatch_get_main_queue(void);

#pragma clang assume_nonnull end
