import Foundation

extension Data {
    /// Decodes standard base64 with padding, as C3-PRO's apps write it. Line breaks, spaces and tabs are ignored,
    /// because the Android apps break lines. Any other character outside of the alphabet is refused.
    init?(mimeBase64 text: String) {
        let bytes = text.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 && $0 != 0x09 }
        self.init(base64Encoded: Data(bytes))
    }
}
