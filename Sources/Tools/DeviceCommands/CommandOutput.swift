import AppleHealthExport
import ArgumentParser
import FHIR
import Foundation
import Storage

/// The output of commands: results on standard output, messages for people on standard error.
package enum CommandOutput {
    /// Prints a line of the result.
    package static func result(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    /// Prints the result as one JSON value.
    package static func result(_ json: JSON) { result(json.text(.pretty)) }

    /// Prints bytes of the result unchanged.
    package static func result(_ bytes: Data) { FileHandle.standardOutput.write(bytes) }

    /// Prints a message for the person at the terminal.
    package static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }

    /// Prints rows in columns as wide as their widest cell.
    package static func table(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            let cells = row.enumerated().map { column, cell in
                cell + String(repeating: " ", count: widths[column] - cell.count)
            }
            result(cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces))
        }
    }
}

extension JSON {
    /// Creates an object of counts by name, in the order of the names.
    package init(counts: [String: Int]) {
        self = .object(
            JSONObject(
                keepingFirst: counts.sorted { $0.key < $1.key }.map {
                    JSONObject.Member(key: $0.key, value: .number(JSONNumber($0.value)))
                }))
    }
}

/// The error of a failed command.
package struct CommandError: Error, CustomStringConvertible {
    package let code: String
    package let message: String
    /// Whether the usage of the command helps: an option has an invalid value.
    package let isOfUsage: Bool

    package init(_ code: String, _ message: String, isOfUsage: Bool = false) {
        self.code = code
        self.message = message
        self.isOfUsage = isOfUsage
    }

    package var description: String { "\(message) [\(code)]" }
}

/// Reads the input of commands.
package enum CommandInput {
    /// Returns the bytes of a file; `-` is standard input.
    package static func file(_ path: String) throws -> Data {
        if path == "-" { return FileHandle.standardInput.readDataToEndOfFile() }
        guard let data = try FileAccess.contents(of: URL(fileURLWithPath: path)) else {
            throw CommandError("file-unreadable", "The file \(path) cannot be read: there is no such file.")
        }
        return data
    }

    /// Parses an instant of an option: a date, or a time; UTC unless it has an offset.
    ///
    /// - Throws: `ValidationError`, which names the option.
    package static func instant(_ text: String?, _ option: String) throws -> Date? {
        guard let text else { return nil }
        guard let value = DateTime(text) ?? DateTime(text + "Z") else {
            throw ValidationError("\(option) takes a date (2026-01-31) or a time (2026-01-31T12:00:00Z).")
        }
        return value.start()
    }

    /// Opens an export of Apple Health. A missing file is reported by the export itself.
    ///
    /// - Throws: ``Storage/FileAccessError`` for a file without permission to read.
    package static func export(_ path: String) throws -> HealthExport {
        do throws(FileAccessError) {
            try FileAccess.require(URL(fileURLWithPath: path))
        } catch {
            guard error.cause == .missing else { throw error }
        }
        return HealthExport(path: path)
    }

    /// Returns the file as JSON.
    package static func json(_ path: String, lenient: Bool = false) throws -> JSON {
        do {
            return try JSON(try file(path), lenient: lenient)
        } catch let error as JSONError {
            throw CommandError(error.code, "\(path): \(error.message)")
        }
    }

    /// Returns the file as a FHIR resource.
    package static func resource(_ path: String, lenient: Bool = false) throws -> Resource {
        guard let object = try json(path, lenient: lenient).object,
            let type = object["resourceType"]?.string, Resource.isTypeName(type)
        else { throw CommandError("resource-type-missing", "\(path) contains no FHIR resource.") }
        return Resource(object)
    }
}
