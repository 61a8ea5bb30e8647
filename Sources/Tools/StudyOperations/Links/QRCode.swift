import CPNG
import CQREncode
import Foundation
import StudyFiles

/// Draws a text as a QR code (ISO/IEC 18004), correction level M, in a black and white PNG.
package enum QRCode {
    /// Pixels per side of a module.
    private static let scale = 6
    /// Modules of the white border that the standard requires.
    private static let quietZone = 4

    /// Draws a text.
    ///
    /// - Parameter text: ASCII of up to 2,000 characters.
    /// - Throws: ``ServerError`` `qr-code-failed` for a longer one.
    package static func png(of text: String) throws(ServerError) -> Data {
        guard text.utf8.count <= 2_000, text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }),
            let code = QRcode_encodeString8bit(text, 0, QR_ECLEVEL_M)
        else { throw failure }
        defer { QRcode_free(code) }
        let width = Int(code.pointee.width)
        guard let modules = code.pointee.data, width > 0 else { throw failure }
        let side = (width + 2 * quietZone) * scale
        var pixels = [UInt8](repeating: 0xFF, count: side * side)
        // The lowest bit of a module's byte is 1 for black.
        for row in 0..<width {
            for column in 0..<width where modules[row * width + column] & 1 == 1 {
                for line in 0..<scale {
                    let start = ((row + quietZone) * scale + line) * side + (column + quietZone) * scale
                    for pixel in start..<(start + scale) { pixels[pixel] = 0 }
                }
            }
        }
        return try encoded(pixels, side: side)
    }

    private static func encoded(_ pixels: [UInt8], side: Int) throws(ServerError) -> Data {
        var image = png_image()
        image.version = UInt32(PNG_IMAGE_VERSION)
        image.width = UInt32(side)
        image.height = UInt32(side)
        // PNG_FORMAT_GRAY, one byte per pixel.
        image.format = 0
        defer { png_image_free(&image) }
        // A PNG with one byte per pixel is hardly larger than its pixels.
        var size = png_alloc_size_t(pixels.count + pixels.count / 8 + 4_096)
        var bytes = [UInt8](repeating: 0, count: size)
        guard png_image_write_to_memory(&image, &bytes, &size, 0, pixels, 0, nil) != 0, size <= bytes.count else {
            throw failure
        }
        return Data(bytes[..<size])
    }

    private static let failure = ServerError(
        code: "qr-code-failed", message: "The text is too long for a QR code, or is not ASCII.")
}
