import ArgumentParser
import DeviceCommands
import FHIR
import FHIRValidation
import FHIRXML
import Foundation
import Storage
import StudyFiles

/// `tributary fhir validate`
struct FHIRValidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate", abstract: "Check files against FHIR R4 and against profiles.",
        discussion: """
            Files contain one resource as JSON or XML, or one per line (.ndjson). In a folder, all such files are
            checked. Exit code 1: a file has an error.
            Example:
              tributary fhir validate patient.json bundle.xml export.ndjson
              tributary fhir validate pressure.json --profile StructureDefinition-bp.json --json
            """)

    @Argument(help: "The files and folders; - is standard input.") var files: [String]
    @Option(help: ArgumentHelp("A StructureDefinition to conform to; may be repeated.", valueName: "file"))
    var profile: [String] = []
    @Option(
        help: ArgumentHelp(
            "A Questionnaire; responses that name it are checked against it. May be repeated.", valueName: "file"))
    var questionnaire: [String] = []
    @Flag(help: "Print an array of {file, outcome}.") var json = false

    func run() async throws {
        // Our own extensions are known. A given profile with the same url replaces ours.
        let validator = FHIRValidator(
            profiles: try profile.map(readProfile), namespaces: [PublishedDefinitions.namespace])
        let notes = try FormNotes(forms: questionnaire)
        var hasErrors = false
        let files = files.flatMap(expanded)
        guard !files.isEmpty else {
            throw CommandError(
                "no-files", "There is nothing to validate: no file ends in .json, .xml, .ndjson or .jsonl.")
        }
        if json { CommandOutput.result("[") }
        for (index, file) in files.enumerated() {
            let report = report(on: file, validator, notes: notes)
            hasErrors = hasErrors || !report.isValid
            if json {
                let row: JSON = ["file": .string(file), "outcome": report.operationOutcome.json]
                CommandOutput.result(row.text(.pretty) + (index + 1 < files.count ? "," : ""))
            } else {
                show(report, file)
            }
        }
        if json { CommandOutput.result("]") }
        if hasErrors { throw ExitCode(1) }
    }

    /// Returns the file itself, or the files of a folder by name.
    private func expanded(_ path: String) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue,
            let names = FileManager.default.enumerator(atPath: path)
        else { return [path] }
        let endings = [".json", ".xml", ".ndjson", ".jsonl"]
        return names.compactMap { $0 as? String }.filter { name in endings.contains { name.hasSuffix($0) } }.sorted()
            .map { path.hasSuffix("/") ? path + $0 : path + "/" + $0 }
    }

    /// Returns the report on a file. An unreadable file is reported, and the other files are still checked.
    private func report(on file: String, _ validator: FHIRValidator, notes: FormNotes) -> ValidationReport {
        do {
            return try FileValidation(file: file, validator: validator, notes: notes, hasProfiles: !profile.isEmpty)
                .report()
        } catch {
            let failure =
                CommandFailure.readable(error) as? CommandError
                ?? CommandError("file-unreadable", "The file \(file) cannot be read.")
            return ValidationReport(issues: [
                ValidationIssue(.fatal, .notFound, code: failure.code, expression: "", message: failure.message)
            ])
        }
    }

    private func readProfile(_ path: String) throws -> JSONObject {
        guard let object = try FileValidation.resource(try CommandInput.file(path), path).object else {
            throw CommandError("not-a-profile", "\(path) contains no StructureDefinition.")
        }
        if let reason = FHIRValidator.reasonProfileIsUnreadable(object) {
            throw CommandError("not-a-profile", "\(path) cannot be used as a profile. \(reason)")
        }
        return object
    }

    private func show(_ report: ValidationReport, _ file: String) {
        var lines: [String] = []
        for issue in report.issues {
            let location = issue.line.map { "\(file):\($0):\(issue.column ?? 1)" } ?? file
            let path = issue.expression.isEmpty ? "" : " \(issue.expression)"
            lines.append("\(location): \(issue.severity.rawValue)\(path): \(issue.message) [\(issue.code)]")
        }
        let errors = report.errors.count
        let others = report.issues.count - errors
        lines.append(
            "\(file): \(errors == 0 ? "valid" : "\(errors) error\(errors == 1 ? "" : "s")")"
                + (others == 0 ? "" : ", \(others) warning\(others == 1 ? "" : "s") or notes"))
        CommandOutput.result(lines.joined(separator: "\n"))
    }
}

/// Validates one file in any format.
struct FileValidation {
    let file: String
    let validator: FHIRValidator
    let notes: FormNotes
    let hasProfiles: Bool

    /// Maximum number of reported errors, and of other issues, of one file; the rest are counted.
    static let maximumIssues = 1000

    func report() throws -> ValidationReport {
        if file.hasSuffix(".ndjson") || file.hasSuffix(".jsonl") { return try lines(FileLineReader(path: file)) }
        let data = try CommandInput.file(file)
        if FileValidation.isXML(data) {
            do {
                return located(validate(try ResourceXML.read(data)), in: data)
            } catch {
                return ValidationReport(issues: [
                    ValidationIssue(
                        .fatal, .structure, code: error.code, expression: error.path ?? "",
                        message: error.message, line: error.line, column: error.column)
                ])
            }
        }
        if FileValidation.isLines(data) { return try lines(FileLineReader(data: data)) }
        return validate(bytes: data)
    }

    /// Returns the report on XML with the lines and columns of its tags.
    private func located(_ report: ValidationReport, in data: Data) -> ValidationReport {
        let locations = ElementLocations.locations(of: report.issues.map(\.expression), in: data)
        return ValidationReport(
            issues: report.issues.map { issue in
                let location = locations[issue.expression]
                return ValidationIssue(
                    issue.severity, issue.kind, code: issue.code, expression: issue.expression,
                    message: issue.message, line: location?.line, column: location?.column)
            })
    }

    private func validate(bytes: Data) -> ValidationReport {
        let value = try? JSON(bytes)
        let report = validator.validate(bytes, profiles: hasProfiles ? value.map(asked) ?? [] : [])
        return ValidationReport(issues: notes.issues(of: value) + report.issues)
    }

    private func validate(_ value: JSON) -> ValidationReport {
        let report = validator.validate(value, profiles: hasProfiles ? asked(value) : [])
        return ValidationReport(issues: notes.issues(of: value) + report.issues)
    }

    /// Returns the supplied profiles for the resource's type; if there are none, all of them, so that the mismatch is
    /// reported.
    private func asked(_ value: JSON) -> [String] {
        validator.applicableProfiles(for: value["resourceType"]?.string ?? "")
    }

    private func lines(_ lines: FileLineReader) throws -> ValidationReport {
        var lines = lines
        var issues: [ValidationIssue] = []
        var errors = 0
        var omitted = 0
        var omittedErrors = 0
        var number = 0
        while let line = try lines.next() {
            number += 1
            if line.allSatisfy({ $0 == 0x20 || $0 == 9 || $0 == 13 }) { continue }
            for issue in validate(bytes: line).issues {
                // Errors are counted separately, so that warnings cannot hide them.
                let isError = issue.severity >= .error
                guard (isError ? errors : issues.count - errors) < FileValidation.maximumIssues else {
                    omitted += 1
                    if isError { omittedErrors += 1 }
                    continue
                }
                if isError { errors += 1 }
                issues.append(
                    ValidationIssue(
                        issue.severity, issue.kind, code: issue.code, expression: issue.expression,
                        message: issue.message, line: number, column: issue.column ?? 1))
            }
        }
        if omitted > 0 {
            issues.append(
                ValidationIssue(
                    omittedErrors > 0 ? .error : .warning, .tooCostly, code: "too-many-issues", expression: "",
                    message:
                        "\(omitted) more problems in \(number) lines, \(omittedErrors) of them errors: fix these first."
                ))
        }
        return ValidationReport(issues: issues)
    }

    // MARK: Forms

    /// Parses a resource from JSON or XML.
    static func resource(_ data: Data, _ path: String) throws -> JSON {
        if isXML(data) {
            do {
                return try ResourceXML.read(data)
            } catch {
                throw CommandError(error.code, "\(path): \(error.message)")
            }
        }
        do {
            return try JSON(data)
        } catch {
            throw CommandError(error.code, "\(path): \(error.message)")
        }
    }

    static func isXML(_ data: Data) -> Bool {
        data.prefix(64).first { $0 != 0xEF && $0 != 0xBB && $0 != 0xBF && $0 > 0x20 } == UInt8(ascii: "<")
    }

    /// Whether the first line is a complete object and more text follows.
    private static func isLines(_ data: Data) -> Bool {
        guard data.first == UInt8(ascii: "{"), let end = data.firstIndex(of: 10), end < 10_000_000 else { return false }
        let rest = data[end...].first { $0 > 0x20 }
        return rest == UInt8(ascii: "{") && (try? JSON(data[..<end])) != nil
    }
}
