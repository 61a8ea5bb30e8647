import Foundation

extension MailMessage {
    /// Whether the header of a mail names an address as its recipient.
    package static func isAddressed(_ mail: Data, to address: String) -> Bool {
        guard let end = mail.firstRange(of: Data("\r\n\r\n".utf8)) else { return false }
        let header = String(decoding: mail[..<end.lowerBound], as: UTF8.self)
        return header.split(separator: "\r\n").contains { line in
            line.lowercased().hasPrefix("to:") && line.contains(address)
        }
    }
}
