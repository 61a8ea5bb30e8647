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
    func portion(from source: any HealthSampleSource, _ conversion: SampleConversion) async throws -> ReadPortion {
        let read = try await source.changes(of: stream.type, after: anchor, limit: limit)
        var conversion = conversion
        var portion = ReadPortion(
            portion: HealthPortion(deleted: read.deleted, anchor: read.anchor, hasMore: read.hasMore))
        portion.portion.added = conversion.offers(read.added, limit, of: stream.type, &portion.samples)
        return portion
    }
}

/// What is read and converted for the step that comes next, while one is performed: a source that can be read at any time
/// costs no time of its own so.
///
/// It belongs to one run. What changes in the source meanwhile comes behind it.
struct ReadAhead: Sendable {
    private let reading: ChangeReading
    private let task: Task<ReadPortion, any Error>

    init(_ reading: ChangeReading, from source: any HealthSampleSource, _ conversion: SampleConversion) {
        self.reading = reading
        task = Task { try await reading.portion(from: source, conversion) }
    }

    /// What was read; nil where another part is asked for.
    func portion(_ asked: ChangeReading) async throws -> ReadPortion? {
        guard reading.stream == asked.stream, reading.anchor == asked.anchor, reading.limit == asked.limit else {
            cancel()
            return nil
        }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func cancel() { task.cancel() }
}
