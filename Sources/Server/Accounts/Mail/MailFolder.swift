import DeviceSystem
import Foundation
import ResearchResults

/// Mails as files, for a study without a mail server: `ID.eml` of mode 0600, in a folder of mode 0700.
///
/// A file appears only complete, and survives a loss of power. A mail that is sent twice is one file.
package struct MailFolder: MailSender {
    private let folder: URL
    private let files: any DurableFiles
    private let queue = DispatchQueue(label: "tributary.mail-folder")

    /// The address in the files: a domain that never exists (RFC 2606).
    package let sender: EmailAddress

    /// - Parameters:
    ///   - folder: folder of the files. It is created with the first mail.
    ///   - files: file system.
    /// - Throws: never for the address in this source.
    package init(_ folder: URL, files: any DurableFiles = PosixFiles()) throws(EmailAddressError) {
        self.folder = folder
        self.files = files
        sender = try EmailAddress("study@mail.invalid")
    }

    package func send(_ message: MailMessage) async -> MailOutcome {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: write(message)) }
        }
    }

    /// Seconds for which a mail waits for the lock of another process.
    private static let patience = 5.0

    private func write(_ message: MailMessage) -> MailOutcome {
        do throws(DeviceStorageError) {
            try files.makeFolder(folder)
            // Processes write one after the other, so that each can remove what a killed one left.
            let lock = try files.lock(folder.appendingPathComponent(".lock"), patience: Self.patience)
            try withExtendedLifetime(lock) { () throws(DeviceStorageError) in
                try AtomicFile.removeLeftovers(in: folder, files: files)
                try AtomicFile.write(
                    Data(message.bytes), to: folder.appendingPathComponent("\(message.id).eml"), files: files)
            }
            return .accepted
        } catch {
            return .unavailable(MailProblem(error.code))
        }
    }
}
