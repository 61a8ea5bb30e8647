import FHIR
import Foundation
import HealthData

extension ActivitySummary {
    /// Reads the attributes of an `ActivitySummary`. Values that cannot be read are omitted.
    ///
    /// - Throws: the ``SkipReason`` if there is no valid day or no value. Exports begin with empty summaries whose day
    ///   is before the first watch; these are out of range.
    static func read(_ attributes: ElementAttributes) throws(SkipReason) -> (ActivitySummary, Repairs) {
        guard let text = attributes("dateComponents"), !text.isEmpty else { throw .dateMissing }
        guard let day = ExportMoment.day(text) else { throw .dateInvalid }
        guard day >= "1970-01-02", day < "2100" else { throw .dateOutOfRange }
        var repairs: Repairs = []
        func quantity(_ measure: SpecialMeasure, unit: String, names: [String]) -> SpecialQuantity? {
            guard let text = names.lazy.compactMap(attributes).first, !text.isEmpty else { return nil }
            let read = try? measure.read(text, unit: unit)
            guard let read, read.number.double >= 0 else {
                repairs.insert(.partDropped)
                return nil
            }
            return read
        }
        func ring(_ measure: SpecialMeasure, unit: String, names: String...) -> Ring {
            Ring(
                value: quantity(measure, unit: unit, names: names),
                goal: quantity(measure, unit: unit, names: names.map { $0 + "Goal" }))
        }
        let energyUnit = attributes("activeEnergyBurnedUnit").flatMap { $0.isEmpty ? nil : $0 } ?? "kcal"
        let summary = ActivitySummary(
            day: day, energy: ring(.energy, unit: energyUnit, names: "activeEnergyBurned"),
            moveTime: ring(.minutes, unit: "min", names: "appleMoveTime", "appleMoveMinutes"),
            exerciseTime: ring(.minutes, unit: "min", names: "appleExerciseTime"),
            standHours: ring(.hours, unit: "count", names: "appleStandHours"))
        guard let summary else { throw repairs.isEmpty ? .valueMissing : .valueNotANumber }
        return (summary, repairs.union(summary.repairs))
    }
}

extension Audiogram {
    /// Reads the attributes of an `Audiogram` and of its `SensitivityPoint`s. Points that cannot be read are omitted.
    static func read(
        _ attributes: ElementAttributes, points: [ElementAttributes]
    ) throws(SkipReason) -> (Audiogram, Repairs) {
        var repairs: Repairs = []
        let times = try ElementOrigin.times(attributes, &repairs)
        var thresholds: [Threshold] = []
        for point in points.prefix(maximumThresholds) {
            guard
                let frequency = try? SpecialMeasure.frequency.read(
                    point("frequencyValue") ?? "", unit: point("frequencyUnit") ?? "Hz"), frequency.number.double > 0
            else {
                repairs.insert(.partDropped)
                continue
            }
            for ear in Ear.allCases {
                guard let text = point(ear.rawValue + "EarValue"), !text.isEmpty else { continue }
                let unit = point(ear.rawValue + "EarUnit") ?? "dBHL"
                func level(_ text: String?) -> SpecialQuantity? {
                    text.flatMap { try? SpecialMeasure.hearingLevel.read($0, unit: unit) }
                }
                guard let value = level(text) else {
                    repairs.insert(.partDropped)
                    continue
                }
                thresholds.append(
                    Threshold(
                        ear: ear, frequency: frequency, level: value,
                        isMasked: flag(point(ear.rawValue + "EarMasked")),
                        lowerBound: level(point(ear.rawValue + "EarClampingRangeLowerBound")),
                        upperBound: level(point(ear.rawValue + "EarClampingRangeUpperBound"))))
            }
        }
        if points.count > maximumThresholds || thresholds.count > maximumThresholds { repairs.insert(.partDropped) }
        guard
            let audiogram = Audiogram(
                start: times.start, end: times.end, thresholds: Array(thresholds.prefix(maximumThresholds)),
                origin: ElementOrigin.read(attributes))
        else { throw repairs.contains(.partDropped) ? .valueNotANumber : .valueMissing }
        return (audiogram, repairs.union(audiogram.repairs))
    }

    private static func flag(_ text: String?) -> Bool? {
        switch text?.lowercased() {
        case "1", "true", "yes": true
        case "0", "false", "no": false
        default: nil
        }
    }
}

extension VisionPrescription {
    /// Reads the attributes of a `VisionPrescription` and of its `RightEye` and `LeftEye`. The brand, which people
    /// enter, and attachments are not read; values that cannot be read are omitted.
    static func read(
        _ attributes: ElementAttributes, right: ElementAttributes?, left: ElementAttributes?
    ) throws(SkipReason) -> (VisionPrescription, Repairs) {
        var repairs: Repairs = []
        guard let text = attributes("dateIssued"), !text.isEmpty else { throw .dateMissing }
        guard let issued = ExportMoment.time(text) else { throw .dateInvalid }
        let type = (attributes("type") ?? "").lowercased()
        let purpose: Purpose? =
            type.contains("contact") || type == "2"
            ? .contacts : type.contains("glasses") || type == "1" ? .glasses : nil
        func lens(_ eye: ElementAttributes?) -> Lens {
            var lens = Lens()
            guard let eye else { return lens }
            for figure in Figure.allCases {
                let name = figure.exportName
                guard let text = eye(name), !text.isEmpty else { continue }
                let unit = eye(name + "Unit").flatMap { $0.isEmpty ? nil : $0 } ?? figure.measure.unit.display
                lens[figure] = try? figure.measure.read(text, unit: unit)
                if lens[figure] == nil { repairs.insert(.partDropped) }
            }
            return lens
        }
        let rightLens = lens(right)
        let leftLens = lens(left)
        guard
            let prescription = VisionPrescription(
                issued: issued, expires: attributes("expirationDate").flatMap(ExportMoment.time), purpose: purpose,
                right: rightLens, left: leftLens, origin: ElementOrigin.read(attributes))
        else { throw repairs.isEmpty ? .valueMissing : .valueNotANumber }
        return (prescription, repairs.union(prescription.repairs))
    }
}

extension RouteTrack.Point {
    /// Reads the attributes of a `Location`: the points of routes in exports before iOS 12.2, which have no route
    /// files.
    init?(_ attributes: ElementAttributes) {
        guard let time = attributes("date").flatMap(ExportMoment.instant), let latitude = attributes("latitude"),
            let longitude = attributes("longitude")
        else { return nil }
        self.init(
            time: time.seconds * 1000, latitude: latitude, longitude: longitude, elevation: attributes("altitude"),
            speed: attributes("speed"), course: attributes("course"),
            horizontalAccuracy: attributes("horizontalAccuracy"), verticalAccuracy: attributes("verticalAccuracy"))
    }
}
