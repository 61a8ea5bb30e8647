import Foundation
import HealthData

/// A batch of a source's changes: the input of the rules, and the samples for the store.
struct ReadBatch: Sendable {
    var batch: SampleBatch
    var samples = ConvertedSamples()
}

/// A request to read and convert changes.
struct ChangeReading: Sendable {
    let stream: HealthStream
    let anchor: HealthAnchor?
    /// Maximum number of samples to read.
    let limit: Int

    /// Reads the changes.
    ///
    /// - Throws: any error of the source.
    func changes(from source: any HealthSampleSource) async throws -> HealthChanges {
        try await source.changes(of: stream.type, after: anchor, limit: limit)
    }

    /// Converts the changes.
    func batch(of read: HealthChanges, _ conversion: SampleConversion) -> ReadBatch {
        var conversion = conversion
        var batch = ReadBatch(
            batch: SampleBatch(deleted: read.deleted, anchor: read.anchor, hasMore: read.hasMore))
        batch.batch.added = conversion.candidates(
            read.added, limit: limit, of: stream.type, into: &batch.samples)
        return batch
    }
}

/// A batch that is read and converted for a later step while another step is performed. It hides the read time of a
/// source that can be read at any time.
///
/// It belongs to one run. Later changes of the source follow after it.
struct ReadAhead: Sendable {
    private let stream: HealthStream
    private let limit: Int
    /// The request and its changes; nil if there are no more changes.
    private let reading: Task<(asked: ChangeReading, changes: HealthChanges)?, any Error>
    private let conversion: Task<ReadBatch?, any Error>

    /// Starts to read.
    init(_ asked: ChangeReading, from source: any HealthSampleSource, _ conversion: SampleConversion) {
        self.init(asked.stream, limit: asked.limit, conversion: conversion) {
            (asked, try await asked.changes(from: source))
        }
    }

    /// Reads the batch after that of another one, while the other is converted.
    init(after other: ReadAhead, from source: any HealthSampleSource, _ conversion: SampleConversion) {
        self.init(other.stream, limit: other.limit, conversion: conversion) {
            guard let (before, changes) = try await other.reading.value, changes.hasMore else { return nil }
            let asked = ChangeReading(stream: before.stream, anchor: changes.anchor, limit: before.limit)
            return (asked, try await asked.changes(from: source))
        }
    }

    private init(
        _ stream: HealthStream, limit: Int, conversion: SampleConversion,
        read: @escaping @Sendable () async throws -> (ChangeReading, HealthChanges)?
    ) {
        self.stream = stream
        self.limit = limit
        let reading = Task { try await read().map { (asked: $0.0, changes: $0.1) } }
        self.reading = reading
        self.conversion = Task {
            try await reading.value.map { $0.asked.batch(of: $0.changes, conversion) }
        }
    }

    /// Returns the batch; nil if another batch is requested.
    func batch(_ wanted: ChangeReading) async throws -> ReadBatch? {
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
