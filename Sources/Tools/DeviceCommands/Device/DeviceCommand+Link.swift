import ArgumentParser
import FHIR
import Foundation
import Outbox

extension DeviceCommand {
    package struct Link: AsyncParsableCommand {
        /// Creates the value with its defaults.
        package init() {}

        package static let configuration = CommandConfiguration(
            commandName: "link", abstract: "Send a link that the site made: queue it sealed.",
            discussion: """
                The file contains the text of the QR code (`link create`). The consent must be signed first, as for all
                data.

                Example:
                  tributary device link --store phone --jwt link.jwt && tributary device send --store phone
                """)
        @OptionGroup package var device: Store
        @Option(help: "The link's token: a file, - for standard input.") package var jwt: String

        package func run() async throws {
            let session = try DeviceSession(path: device.store)
            let text = String(decoding: try CommandInput.file(jwt), as: UTF8.self)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            DeviceCommand.show([try session.link(Data(text.utf8))], "queued the link", json: device.json)
        }
    }
}

extension DeviceSession {
    /// Queues a link that the site made.
    ///
    /// - Returns: the submission's id.
    /// - Throws: `link-invalid` for a text that is not a link of this study; `consent-required`. Then nothing is
    ///   queued.
    package func link(_ token: Data) throws -> String {
        _ = try profile()
        return try store.queue(link: token).submissionID
    }
}
