// SPDX-License-Identifier: Apache-2.0
// The part of the Objective-C runtime's headers that scripts/check/objc-face needs on Linux.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef bool BOOL;
#define YES true
#define NO false
#define nil ((id)0)
typedef long NSInteger;
typedef unsigned long NSUInteger;
typedef struct _NSZone NSZone;

#pragma clang assume_nonnull begin

@class NSString;

@protocol NSObject
- (BOOL)isEqual:(id _Nullable)object;
@property (readonly) NSUInteger hash;
@property (readonly, copy) NSString *description;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
+ (instancetype)alloc;
+ (instancetype)new;
- (instancetype)init __attribute__((objc_designated_initializer));
- (id)copy;
@end

#pragma clang assume_nonnull end
