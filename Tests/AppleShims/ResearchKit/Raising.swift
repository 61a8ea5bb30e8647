// A stand-in for ResearchKit on systems without it: the declarations that the adapter uses, after ResearchKit's public
// documentation, in memory. It proves nothing about ResearchKit's own classes.
import Foundation
import Synchronization

/// One exception that ResearchKit raises.
public struct RaisedException: Sendable, Hashable, CustomStringConvertible {
    /// The exception's name, such as `NSInvalidArgumentException`.
    public let name: String
    public let reason: String

    public var description: String { "\(name): \(reason)" }
}

/// The exceptions of the stand-in. ResearchKit raises an `NSException`, which Swift cannot catch: the app ends. So does
/// the process here, except inside of ``exceptions(during:)``.
public enum ResearchKitExceptions {
    fileprivate final class Record: Sendable {
        let all = Mutex<[RaisedException]>([])
    }

    @TaskLocal fileprivate static var record: Record?

    /// Returns the exceptions that the body raises. It continues after each of them, as if nothing had happened.
    public static func exceptions(during body: () throws -> Void) rethrows -> [RaisedException] {
        let record = Record()
        try $record.withValue(record) { try body() }
        return record.all.withLock { $0 }
    }
}

/// Stands for `@throw` of an NSException.
func raise(_ name: String, _ reason: String) {
    guard let record = ResearchKitExceptions.record else { fatalError("\(name): \(reason)") }
    record.all.withLock { $0.append(RaisedException(name: name, reason: reason)) }
}

func raiseInvalid(_ reason: String) { raise("NSInvalidArgumentException", reason) }
