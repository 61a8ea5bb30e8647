import ArgumentParser
import Core
import Foundation
import Outbox
import Receiver
import Storage

/// Converts an error of a command to one that a person can act on.
package enum CommandFailure {
    package static func readable(_ error: any Error) -> any Error {
        switch error {
        case let error as AppReceiptError:
            return CommandError("receipt-unmade", "The receipt could not be made: \(error.rawValue).")
        case let error as OutboxError: return CommandError(error.code, message(of: error))
        case let error as any CodedError: return CommandError(error.code, error.message)
        default: break
        }
        let name = String(reflecting: type(of: error))
        // The argument parser's own errors are already for people.
        guard !name.hasPrefix("ArgumentParser."), !(error is CommandError) else { return error }
        let words = String(describing: error)
        if words.contains("errno: 98") || words.contains("Address already in use") {
            return CommandError("address-in-use", "Another program listens on this port; choose another with --port.")
        }
        if words.contains("errno: 99") || words.contains("Cannot assign requested address") {
            return CommandError("address-unavailable", "This machine has no such address; see --bind.")
        }
        let foundation = error as NSError
        if foundation.domain == NSCocoaErrorDomain {
            if foundation.code == CocoaError.Code.fileWriteOutOfSpace.rawValue {
                return CommandError("storage-full", "The disk is full.")
            }
            guard let file = FileAccessError(error) else {
                return CommandError("file-failed", "The system refused a file: \(foundation.localizedDescription)")
            }
            return CommandError(file.code, file.message)
        }
        return error
    }

    /// Returns the message of a device's error, with the option that helps.
    package static func message(of error: OutboxError) -> String {
        guard error.reason == .certificateUntrusted else { return error.message }
        return error.message
            + " Give it by `device enrol --ca FILE`, or to an enrolled device by `device address --ca FILE`."
    }
}
