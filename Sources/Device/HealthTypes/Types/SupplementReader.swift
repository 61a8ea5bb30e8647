import FHIR
import Foundation
import UCUM

/// One member of a supplement, with its path.
struct SupplementValue {
    let json: JSON
    let path: String

    func fault(_ kind: HealthTypeTableError.Kind, _ what: String) -> HealthTypeTableError {
        HealthTypeTableError(kind, at: path, what)
    }

    /// Returns the members of an object that may contain only `allowed`.
    func members(_ allowed: Set<String>) throws(HealthTypeTableError) -> [String: SupplementValue] {
        guard let object = json.object else { throw fault(.notAnObject, "An object is expected here.") }
        var members: [String: SupplementValue] = [:]
        for member in object.members {
            let value = SupplementValue(
                json: member.value, path: path.isEmpty ? member.key : "\(path).\(member.key)")
            guard allowed.contains(member.key) else {
                let known = allowed.count > 20 ? "" : "; known are " + allowed.sorted().joined(separator: ", ")
                throw value.fault(.memberUnknown, "This member is unknown\(known).")
            }
            members[member.key] = value
        }
        return members
    }

    func elements() throws(HealthTypeTableError) -> [SupplementValue] {
        guard let array = json.array else { throw fault(.valueInvalid, "A list is expected here.") }
        return array.enumerated().map { SupplementValue(json: $0.element, path: "\(path)[\($0.offset)]") }
    }

    /// Returns a text that is not empty and has no control characters.
    func text() throws(HealthTypeTableError) -> String {
        guard let text = json.string, !text.isEmpty, text.utf8.count <= 300,
            !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
        else { throw fault(.valueInvalid, "A text of 1 to 300 bytes is expected here.") }
        return text
    }

    func name<Value: RawRepresentable & CaseIterable>(_ type: Value.Type) throws(HealthTypeTableError) -> Value
    where Value.RawValue == String {
        guard let value = json.string.flatMap(Value.init) else {
            let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
            throw fault(.valueInvalid, "One of these is expected here: \(names).")
        }
        return value
    }

    func number() throws(HealthTypeTableError) -> Double {
        guard let number = json.number?.double, number.isFinite else {
            throw fault(.valueInvalid, "A number is expected here.")
        }
        return number
    }

    func range() throws(HealthTypeTableError) -> ClosedRange<Double> {
        let members = try members(["low", "high"])
        guard let low = members["low"], let high = members["high"] else {
            throw fault(.memberMissing, "Both low and high are expected here.")
        }
        let (from, to) = (try low.number(), try high.number())
        guard from < to else { throw fault(.valueInvalid, "low must be less than high.") }
        return from...to
    }

    func codings() throws(HealthTypeTableError) -> [Coding] {
        var codings: [Coding] = []
        for element in try elements() {
            let members = try element.members(["system", "code", "display"])
            guard let system = members["system"], let code = members["code"], let display = members["display"] else {
                throw element.fault(.memberMissing, "A coding needs a system, a code and a display.")
            }
            let (name, url) = (try code.text(), try system.text())
            guard url.contains(":"), !url.contains(" ") else {
                throw system.fault(.valueInvalid, "The system of a coding is a URI.")
            }
            guard !name.contains(where: \.isWhitespace) else {
                throw code.fault(.valueInvalid, "A code must not contain spaces.")
            }
            codings.append(Coding(system: url, code: name, display: try display.text()))
        }
        return codings
    }

    func options() throws(HealthTypeTableError) -> [HealthOption] {
        var options: [HealthOption] = []
        var names: Set<String> = []
        for element in try elements() {
            let members = try element.members(["code", "display", "aliases"])
            guard let code = members["code"], let display = members["display"] else {
                throw element.fault(.memberMissing, "An option needs a code and a display.")
            }
            var aliases: [String] = []
            for alias in try members["aliases"]?.elements() ?? [] { aliases.append(try alias.text()) }
            let option = HealthOption(try code.text(), try display.text(), aliases: aliases)
            for name in [option.code] + aliases where !names.insert(name).inserted {
                throw element.fault(.identifierRepeated, "Another option has the same code or alias.")
            }
            options.append(option)
        }
        return options
    }

    /// Returns the unit. Members that are missing are taken from the previous unit.
    func unit(
        before: HealthMeasure?, identifier: String
    ) throws(HealthTypeTableError) -> (HealthUnit, HealthKitUnit) {
        let members = try members(["healthKit", "ucum", "display"])
        var healthKit = before?.healthKitUnit
        if let value = members["healthKit"] {
            do {
                healthKit = try HealthKitUnit(try value.text())
            } catch let error as HealthKitUnitError {
                throw value.fault(.unitInvalid, error.message)
            } catch let error as HealthTypeTableError {
                throw error
            } catch {
                throw value.fault(.unitInvalid, "This is not a unit of HealthKit.")
            }
        }
        guard let healthKit, let ucum = try members["ucum"]?.text() ?? before?.unit.ucum else {
            throw fault(.memberMissing, "A unit needs HealthKit's text (healthKit) and a UCUM code (ucum).")
        }
        let ucumMember = members["ucum"] ?? self
        do {
            _ = try UCUMUnit(ucum)
        } catch {
            throw ucumMember.fault(.unitInvalid, error.message)
        }
        let isException = HealthUnit.exceptions.contains(identifier) && before?.healthKitUnit == healthKit
        let wanted: Decimal = healthKit == .percent && ucum == "%" ? 100 : 1
        guard isException || HealthUnit.scale(from: healthKit, to: ucum) == wanted else {
            throw ucumMember.fault(
                .unitMismatch,
                "The UCUM code must be of the dimension and size of HealthKit's unit \(healthKit.text)"
                    + ((healthKit == .percent ? "%" : healthKit.ucum).map { ", for example \($0)" } ?? "") + ".")
        }
        let display = try members["display"]?.text() ?? (members["ucum"] == nil ? before?.unit.display : nil) ?? ucum
        return (HealthUnit(ucum, display), healthKit)
    }
}
