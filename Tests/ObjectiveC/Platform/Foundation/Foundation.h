// SPDX-License-Identifier: Apache-2.0
// The part of Foundation's headers that scripts/check/objc-face needs on Linux.
#pragma once
#include "../ObjectiveC.h"
#include "../dispatch.h"

typedef double NSTimeInterval;
#define NS_SWIFT_NAME(name) __attribute__((swift_name(#name)))

#pragma clang assume_nonnull begin

@protocol NSCopying
- (id)copyWithZone:(NSZone *_Nullable)zone;
@end

__attribute__((swift_bridge("Swift.String")))
@interface NSString : NSObject <NSCopying>
@end

@interface NSNumber : NSObject <NSCopying>
+ (instancetype)numberWithBool:(BOOL)value;
@end

__attribute__((swift_bridge("Swift.Array")))
@interface NSArray<__covariant Element> : NSObject <NSCopying>
+ (instancetype)arrayWithObjects:(Element const _Nonnull [_Nullable])objects count:(NSUInteger)count;
@end

__attribute__((swift_bridge("Swift.Dictionary")))
@interface NSDictionary<__covariant Key, __covariant Value> : NSObject <NSCopying>
+ (instancetype)dictionaryWithObjects:(Value const _Nonnull [_Nullable])objects
                              forKeys:(Key const _Nonnull [_Nullable])keys
                                count:(NSUInteger)count;
@end

@interface NSSet<__covariant Element> : NSObject <NSCopying>
@end

@interface NSURL : NSObject <NSCopying>
+ (nullable instancetype)URLWithString:(NSString *)text;
@end

@interface NSUUID : NSObject <NSCopying>
@end

@interface NSDate : NSObject <NSCopying>
@end

extern NSString *const NSLocalizedDescriptionKey;

@interface NSError : NSObject <NSCopying>
@property (readonly, copy) NSString *domain;
@property (readonly) NSInteger code;
@end

#pragma clang assume_nonnull end
