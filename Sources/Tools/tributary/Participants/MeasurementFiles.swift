import DeviceCommands
import FHIR
import Foundation
import HealthData
import HealthReport

/// The measurements of an export: a CSV file for each type with all rows, and the report for the page.
final class MeasurementFiles {
    private static let prefix = "measurements-"
    private static let columns = ["start", "end", "what", "value", "unit", "source", "entered by hand", "id"]

    private let folder: URL
    private let replaces: Bool
    private var report = MeasurementReport()
    private var files: [MeasurementReport.Group: (name: String, file: OutputFile)] = [:]
    private var names: Set<String> = []

    init(folder: URL, replaces: Bool) {
        self.folder = folder
        self.replaces = replaces
    }

    /// Returns the names of the files of an earlier export in a folder.
    static func existing(in folder: URL) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".csv") }
    }

    /// Adds an Observation: its rows to the file of its type, and its value to the report.
    ///
    /// - Throws: ``CommandError`` `file-unwritable`.
    func add(_ observation: Observation) throws {
        let group: MeasurementReport.Group
        if let sample = HealthSample(reading: observation), hasRoom(for: .init(sample.type)) {
            group = .init(sample.type)
            report.add(sample)
        } else {
            let named = MeasurementReport.Group(named: ReadableResource.concept(observation.object["code"]) ?? "Other")
            group = hasRoom(for: named) ? named : MeasurementReport.Group(named: "Other measurements")
            report.add(
                group, numbers: Self.numbers(of: observation.object, named: group.title),
                text: observation.object.members.first { $0.key.hasPrefix("value") }.map {
                    ReadableResource.text($0.value)
                }, on: Self.times(of: observation.object).start.flatMap { HealthDay(String($0.prefix(10))) })
        }
        let file = try file(of: group)
        for row in Self.rows(of: observation.object, named: group.title) {
            try file.write(line: { CSVLine.write(row, to: &$0) })
        }
    }

    /// Completes the files, and deletes those of an earlier export whose type has no data any more.
    func finish() throws -> MeasurementReport {
        for (group, entry) in files {
            try entry.file.finish()
            report.setFile(entry.name, of: group)
        }
        for name in Self.existing(in: folder) where !names.contains(name) {
            try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
        return report
    }

    /// Deletes the unfinished files.
    func discard() { for entry in files.values { entry.file.discard() } }

    // MARK: - Files

    private func hasRoom(for group: MeasurementReport.Group) -> Bool {
        files[group] != nil || files.count < MeasurementReport.maximumTypes
    }

    private func file(of group: MeasurementReport.Group) throws -> OutputFile {
        if let entry = files[group] { return entry.file }
        var name = Self.prefix + Self.slug(group.title) + ".csv"
        var number = 2
        while !names.insert(name).inserted {
            name = Self.prefix + Self.slug(group.title) + "-\(number).csv"
            number += 1
        }
        let file = try OutputFile(path: folder.appendingPathComponent(name).path, replaces: replaces)
        files[group] = (name, file)
        try file.write(line: { CSVLine.write(Self.columns, to: &$0) })
        return file
    }

    /// Returns a title as part of a file name: lowercase ASCII letters and digits with `-` between the words.
    static func slug(_ title: String) -> String {
        let words = title.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
        let slug = words.joined(separator: "-").prefix(60)
        return slug.isEmpty ? "other" : String(slug)
    }

    // MARK: - Rows

    private static func times(of object: JSONObject) -> (start: String?, end: String?) {
        if let moment = object["effectiveDateTime"]?.string ?? object["effectiveInstant"]?.string {
            return (moment, moment)
        }
        let period = object["effectivePeriod"]
        return (period?["start"]?.string, period?["end"]?.string)
    }

    /// Returns the rows of an Observation: one for its value, and one for each component.
    private static func rows(of object: JSONObject, named title: String) -> [[String]] {
        let (start, end) = times(of: object)
        let source = object["device"]?["display"]?.string ?? ""
        let byHand = HealthContext.isEnteredByHand(Observation(object).method) ? "yes" : ""
        var values: [(what: String, value: String, unit: String)] = []
        if let own = value(of: object) { values.append((title, own.value, own.unit)) }
        for component in object["component"]?.array ?? [] {
            guard let part = component.object, let own = value(of: part) else { continue }
            values.append((ReadableResource.concept(part["code"]) ?? title, own.value, own.unit))
        }
        if values.isEmpty { values.append((title, "", "")) }
        return values.map {
            [start ?? "", end ?? "", $0.what, $0.value, $0.unit, source, byHand, object["id"]?.string ?? ""]
        }
    }

    /// Returns the quantities of an Observation and of its components.
    private static func numbers(of object: JSONObject, named title: String) -> [MeasurementReport.Number] {
        let parts =
            [(title, object)]
            + (object["component"]?.array ?? []).compactMap { component in
                component.object.map { (ReadableResource.concept($0["code"]) ?? title, $0) }
            }
        return parts.compactMap { title, part in
            guard let quantity = part["valueQuantity"], let number = quantity["value"]?.number else { return nil }
            return .init(
                title, value: number.double, unit: quantity["unit"]?.string ?? quantity["code"]?.string ?? "",
                ucum: quantity["code"]?.string)
        }
    }

    private static func value(of object: JSONObject) -> (value: String, unit: String)? {
        guard let member = object.members.first(where: { $0.key.hasPrefix("value") }) else { return nil }
        let json = member.value
        if member.key == "valueQuantity", let number = json["value"]?.number {
            return (
                (json["comparator"]?.string ?? "") + number.text, json["unit"]?.string ?? json["code"]?.string ?? ""
            )
        }
        if member.key == "valueSampledData" { return (json["data"]?.string ?? "", "") }
        return (json.string ?? json.number?.text ?? ReadableResource.text(json), "")
    }
}
