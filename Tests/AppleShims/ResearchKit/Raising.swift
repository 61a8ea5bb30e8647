// A stand-in for ResearchKit on systems without it: the declarations that the adapter uses, after ResearchKit's public
// documentation, in memory. It proves nothing about ResearchKit's own classes.
import Foundation

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
    /// The exceptions of a thread that are collected.
    fileprivate final class Record {
        var all: [RaisedException] = []
    }

    private static let key = "ResearchKitExceptions"

    fileprivate static var record: Record? {
        get { Thread.current.threadDictionary[key] as? Record }
        set {
            if let newValue {
                Thread.current.threadDictionary[key] = newValue
            } else {
                Thread.current.threadDictionary.removeObject(forKey: key)
            }
        }
    }

    /// Returns the exceptions that the body raises on this thread. It continues after each of them, as if nothing had
    /// happened.
    public static func exceptions(during body: () throws -> Void) rethrows -> [RaisedException] {
        let outer = record
        let own = Record()
        record = own
        defer { record = outer }
        try body()
        return own.all
    }
}

/// Stands for `@throw` of an NSException.
func raise(_ name: String, _ reason: String) {
    guard let record = ResearchKitExceptions.record else { fatalError("\(name): \(reason)") }
    record.all.append(RaisedException(name: name, reason: reason))
}

func raiseInvalid(_ reason: String) { raise("NSInvalidArgumentException", reason) }
