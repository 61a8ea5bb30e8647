import Foundation
import HealthData

/// A part of a source's changes as a step needs it: what the rules decide by, and the samples that go to the store.
struct ReadPortion: Sendable {
    var portion: HealthPortion
    var samples = ConvertedSamples()
}

/// Reads changes and converts them.
struct ChangeReading: Sendable {
    let stream: HealthStream
    let anchor: HealthAnchor?
    /// As many samples are read at most.
    let limit: Int

    /// What changed.
    ///
    /// - Throws: what the source throws.
    func changes(from source: any HealthSampleSource) async throws -> HealthChanges {
        try await source.changes(of: stream.type, after: anchor, limit: limit)
    }

    /// What changed, converted.
    func portion(of read: HealthChanges, _ conversion: SampleConversion) -> ReadPortion {
        var conversion = conversion
        var portion = ReadPortion(
            portion: HealthPortion(deleted: read.deleted, anchor: read.anchor, hasMore: read.hasMore))
        portion.portion.added = conversion.offers(read.added, limit, of: stream.type, &portion.samples)
        return portion
    }
}

/// What is read and converted for a step that comes later, while one is performed: a source that can be read at any time
/// costs no time of its own so.
///
/// It belongs to one run. What changes in the source meanwhile comes behind it.
struct ReadAhead: Sendable {
    private let stream: HealthStream
    private let limit: Int
    /// What was asked for and read; nil where there is nothing.
    private let reading: Task<(asked: ChangeReading, changes: HealthChanges)?, any Error>
    private let conversion: Task<ReadPortion?, any Error>

    /// Begins to read.
    init(_ asked: ChangeReading, from source: any HealthSampleSource, _ conversion: SampleConversion) {
        self.init(asked.stream, asked.limit, conversion) { (asked, try await asked.changes(from: source)) }
    }

    /// Reads what is behind what another one reads, while that is converted.
    init(behind other: ReadAhead, from source: any HealthSampleSource, _ conversion: SampleConversion) {
        self.init(other.stream, other.limit, conversion) {
            guard let (before, changes) = try await other.reading.value, changes.hasMore else { return nil }
            let asked = ChangeReading(stream: before.stream, anchor: changes.anchor, limit: before.limit)
            return (asked, try await asked.changes(from: source))
        }
    }

    private init(
        _ stream: HealthStream, _ limit: Int, _ conversion: SampleConversion,
        _ read: @escaping @Sendable () async throws -> (ChangeReading, HealthChanges)?
    ) {
        self.stream = stream
        self.limit = limit
        let reading = Task { try await read().map { (asked: $0.0, changes: $0.1) } }
        self.reading = reading
        self.conversion = Task {
            try await reading.value.map { $0.asked.portion(of: $0.changes, conversion) }
        }
    }

    /// What was read; nil where another part is asked for.
    func portion(_ wanted: ChangeReading) async throws -> ReadPortion? {
        guard stream == wanted.stream, limit == wanted.limit else {
            cancel()
            return nil
        }
        return try await withTaskCancellationHandler {
            guard let asked = try await reading.value?.asked, asked.anchor == wanted.anchor else {
                cancel()
                return nil
            }
            return try await conversion.value
        } onCancel: {
            cancel()
        }
    }

    func cancel() {
        reading.cancel()
        conversion.cancel()
    }
}
