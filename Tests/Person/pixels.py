# SPDX-License-Identifier: Apache-2.0
"""The pixels of the screen DISPLAY, read with Xlib."""
import ctypes


class Image(ctypes.Structure):
    """The beginning of Xlib's XImage."""

    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")]
    _fields_ += [("data", ctypes.POINTER(ctypes.c_char))]
    _fields_ += [(name, ctypes.c_int) for name in (
        "byte_order", "bitmap_unit", "bitmap_bit_order", "bitmap_pad", "depth", "bytes_per_line")]


LIBRARY = ctypes.CDLL("libX11.so.6")
LIBRARY.XOpenDisplay.restype = ctypes.c_void_p
LIBRARY.XDefaultRootWindow.restype = ctypes.c_ulong
LIBRARY.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
for each in (LIBRARY.XDisplayWidth, LIBRARY.XDisplayHeight):
    each.argtypes = [ctypes.c_void_p, ctypes.c_int]
LIBRARY.XGetImage.restype = ctypes.POINTER(Image)
LIBRARY.XGetImage.argtypes = [
    ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int, ctypes.c_int, ctypes.c_uint, ctypes.c_uint, ctypes.c_ulong,
    ctypes.c_int,
]
LIBRARY.XDestroyImage.argtypes = [ctypes.POINTER(Image)]
ALL_PLANES, PIXMAP = 0xFFFFFFFF, 2


class Screen:
    """A connection to the screen."""

    def __init__(self):
        self.display = LIBRARY.XOpenDisplay(None)
        self.width, self.height = LIBRARY.XDisplayWidth(self.display, 0), LIBRARY.XDisplayHeight(self.display, 0)

    def read(self, x, y, width, height):
        """The pixels of a rectangle, line by line; none if a part of its width is outside of the screen."""
        top, bottom = max(y, 0), min(y + height, self.height)
        if x < 0 or x + width > self.width or top >= bottom:
            return b""
        root = LIBRARY.XDefaultRootWindow(self.display)
        image = LIBRARY.XGetImage(self.display, root, x, top, width, bottom - top, ALL_PLANES, PIXMAP)
        if not image:
            return b""
        try:
            return ctypes.string_at(image.contents.data, image.contents.bytes_per_line * image.contents.height)
        finally:
            LIBRARY.XDestroyImage(image)
