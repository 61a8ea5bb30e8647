import ArgumentParser
import Core
import Foundation
import Receiver

/// Turns whatever a command threw into something a person can act on.
enum CommandFailure {
    static func readable(_ error: any Error) -> any Error {
        switch error {
        case let error as AppReceiptError:
            return CommandError("receipt-unmade", "The receipt could not be made: \(error.rawValue).")
        case let error as any CodedError: return CommandError(error.code, error.message)
        default: break
        }
        let name = String(reflecting: type(of: error))
        // The argument parser's own errors are words for people already.
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
            return foundation.code == CocoaError.Code.fileWriteOutOfSpace.rawValue
                ? CommandError("storage-full", "The disk is full.")
                : CommandError("file-failed", "A file cannot be read or written; see its path and permissions.")
        }
        return error
    }
}
