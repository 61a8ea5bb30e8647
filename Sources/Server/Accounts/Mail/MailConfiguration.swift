import Core
import Foundation
import ResearchResults
import Storage

/// The mail server of a study: the member `accounts.mail` of study.json.
///
/// ```json
/// {"smtp": "mail.example.org:587", "from": "study@example.org", "user": "study", "passwordFile": "keys/mail.txt"}
/// ```
///
/// Mail to another machine is encrypted: by TLS from the start on port 465 (RFC 8314), by STARTTLS on any other port
/// (RFC 3207), and never without. Mail to this machine is not encrypted, unless `ca` is given.
package struct MailConfiguration: Sendable, Hashable {
    /// The host: a name or an address; IPv6 without brackets.
    package let host: String
    package let port: Int
    /// The address that mails come from.
    package let sender: EmailAddress
    /// The user who signs in; nil for none.
    package let user: String?
    /// Path of the file with the user's password, from the study's folder. It has mode 0600.
    package let passwordFile: String?
    /// Path of a PEM file with the authorities that the server's certificate comes from, from the study's folder; nil
    /// for those of the system.
    package let ca: String?

    private static let members: Set<String> = ["smtp", "from", "user", "passwordFile", "ca"]

    /// Parses the member.
    ///
    /// - Parameters:
    ///   - json: value of the member.
    ///   - path: its path in study.json, for messages.
    /// - Throws: ``MailError`` `study-invalid`, which names the member.
    package init(_ json: JSON, path: String = "accounts.mail") throws(MailError) {
        guard let object = json.object else { throw Self.invalid(path, "an object with smtp and from") }
        for key in object.keys where !Self.members.contains(key) {
            throw MailError(code: "study-invalid", message: "study.json: \(path).\(key) is not a known member.")
        }
        guard Set(object.keys).count == object.count else {
            throw Self.invalid(path, "an object with each member once")
        }
        func text(_ name: String, _ wanted: String) throws(MailError) -> String? {
            guard let value = json[name] else { return nil }
            guard let text = value.string, (1...1_024).contains(text.utf8.count),
                !text.unicodeScalars.contains(where: MailContent.breaksLine)
            else { throw Self.invalid("\(path).\(name)", wanted) }
            return text
        }
        guard let server = try text("smtp", "HOST:PORT").flatMap(Self.server) else {
            throw Self.invalid("\(path).smtp", "HOST:PORT")
        }
        guard let sender = try text("from", "an e-mail address").flatMap({ try? EmailAddress($0) }) else {
            throw Self.invalid("\(path).from", "an e-mail address")
        }
        user = try text("user", "the name of a user")
        passwordFile = try text("passwordFile", "the path of a file")
        ca = try text("ca", "the path of a PEM file")
        guard (user == nil) == (passwordFile == nil) else {
            throw Self.invalid("\(path).\(user == nil ? "user" : "passwordFile")", "given if the other one is")
        }
        (host, port, self.sender) = (server.host, server.port, sender)
    }

    /// The member's value.
    package var json: JSON {
        var object: JSONObject = JSONObject()
        object["smtp"] = .string(host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)")
        object["from"] = .string(sender.text)
        if let user { object["user"] = .string(user) }
        if let passwordFile { object["passwordFile"] = .string(passwordFile) }
        if let ca { object["ca"] = .string(ca) }
        return .object(object)
    }

    /// The protection of the connection.
    package enum Encryption: Sendable, Hashable {
        /// Clear text, to this machine only.
        case none
        /// STARTTLS; a server without it is refused.
        case startTLS
        /// TLS from the start.
        case tls
    }

    /// The protection of the connection.
    package var encryption: Encryption {
        if port == 465 { return .tls }
        return LoopbackHost.matches(host) && ca == nil ? .none : .startTLS
    }

    /// Reads the password.
    ///
    /// - Parameter folder: the study's folder.
    /// - Returns: the first line of the file; nil if there is no user.
    /// - Throws: ``MailError`` `mail-password-unreadable`, `mail-password-open` if others may read the file,
    ///   `mail-password-unfit`.
    package func password(in folder: URL) throws(MailError) -> String? {
        guard let passwordFile else { return nil }
        let file = URL(fileURLWithPath: passwordFile, relativeTo: folder)
        let contents: Data?
        do {
            contents = try FileAccess.contents(of: file)
        } catch {
            throw MailError(code: "mail-password-unreadable", message: error.message)
        }
        guard let contents, let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
            let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue
        else {
            throw MailError(
                code: "mail-password-unreadable",
                message: "There is no file \(file.path): accounts.mail.passwordFile of study.json names it.")
        }
        guard mode & 0o077 == 0 else {
            throw MailError(
                code: "mail-password-open",
                message: "The file \(file.path) can be read by others; make it 0600 (chmod 600).")
        }
        let line = contents.prefix { $0 != 10 && $0 != 13 }
        guard (1...1_024).contains(line.count), let text = String(data: line, encoding: .utf8),
            !text.unicodeScalars.contains(where: MailContent.breaksLine)
        else {
            throw MailError(
                code: "mail-password-unfit",
                message: "The first line of \(file.path) is no password of 1 to 1,024 bytes.")
        }
        return text
    }

    /// Returns the host and the port of `HOST:PORT`; nil for any other text.
    private static func server(_ text: String) -> (host: String, port: Int)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let port = Int(digits), (1...65_535).contains(port)
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            let isAddress = host.contains(":") && host.wholeMatch(of: /[0-9A-Fa-f:.]{2,45}/) != nil
            return isAddress ? (host, port) : nil
        }
        return host.wholeMatch(of: /[A-Za-z0-9]([A-Za-z0-9.-]{0,252})/) == nil ? nil : (host, port)
    }

    private static func invalid(_ name: String, _ wanted: String) -> MailError {
        MailError(code: "study-invalid", message: "study.json: \(name) must be \(wanted).")
    }
}
