import FHIR
import HealthData

/// The times of elements that are parsed from texts.
enum ExportMoment {
    /// Parses an instant in one of the formats of exports.
    static func instant(_ text: String) -> HealthInstant? {
        let read = Array(text.utf8).withUnsafeBufferPointer { ExportDate.read($0) ?? ExportDate.readOld($0) }
        return read.flatMap { HealthInstant.believable.contains($0.seconds) ? $0 : nil }
    }

    /// Parses a day, `2016-11-15`; nil for any other text.
    static func day(_ text: String) -> String? {
        guard text.utf8.count == 10, DateTime(text) != nil else { return nil }
        return text
    }

    /// Parses an instant or a day.
    static func time(_ text: String) -> SpecialTime? {
        instant(text).map(SpecialTime.moment) ?? day(text).map(SpecialTime.day)
    }
}

/// Returns an attribute of an element by its name; nil if there is none.
typealias ElementAttributes = (String) -> String?

/// The attributes of all kinds of records.
enum ElementOrigin {
    static func read(_ attributes: ElementAttributes) -> SpecialOrigin {
        let device = attributes("device").map { String($0.prefix(1024)) }
        let product = Redaction.product(
            sourceName: String((attributes("sourceName") ?? "").prefix(256)), device: device)
        return SpecialOrigin(
            source: HealthSource(
                product: product, version: attributes("sourceVersion") ?? "",
                device: device.flatMap { Redaction.device($0, product: product) }),
            created: attributes("creationDate").flatMap(ExportMoment.instant))
    }

    /// - Throws: the ``SkipReason`` if start or end cannot be parsed, or if the end is before the start.
    static func times(
        _ attributes: ElementAttributes, _ repairs: inout Repairs
    ) throws(SkipReason) -> (start: HealthInstant, end: HealthInstant) {
        guard let text = attributes("startDate"), !text.isEmpty else { throw .dateMissing }
        guard let start = ExportMoment.instant(text) else { throw .dateInvalid }
        guard let last = attributes("endDate"), !last.isEmpty else {
            repairs.insert(.endMissing)
            return (start, start)
        }
        guard let end = ExportMoment.instant(last) else { throw .dateInvalid }
        guard end.seconds >= start.seconds else { throw .endBeforeStart }
        return (start, end)
    }
}
