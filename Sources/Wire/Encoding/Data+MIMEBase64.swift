import Foundation

extension Data {
    /// Decodes standard base64 with padding, as C3-PRO's apps write it: the Android ones break lines, which is taken.
    /// Any other foreign character is refused.
    init?(mimeBase64 text: String) {
        let bytes = text.utf8.filter { $0 != 0x0A && $0 != 0x0D && $0 != 0x20 && $0 != 0x09 }
        self.init(base64Encoded: Data(bytes))
    }
}
