import Foundation

/// CareKit: OCKStore+Transactions.swift
extension OCKStore {
    func transaction<Value: OCKVersionedObjectCompatible>(
        inserts: [Value] = [], updates: [Value] = [], deletes: [Value] = [], check: () throws -> Void = {}
    ) throws(OCKStoreError) -> [Value] {
        do {
            return try context.performAndWait {
                try check()
                var changed: [UUID] = []
                if !inserts.isEmpty {
                    try validateNew(inserts)
                    changed += inserts.compactMap { insert($0) }
                }
                if !updates.isEmpty {
                    try validateUpdates(updates)
                    changed += try updates.compactMap { try updateValue($0) }
                }
                for value in deletes {
                    guard let uuid = try updateValue(value) else { continue }
                    let now = context.surroundings.now()
                    context.change { $0.change(Value.entityType, uuid) { $0.value.deletedDate = now } }
                    changed.append(uuid)
                }
                try context.save()
                return changed.compactMap { context.contents.version(Value.entityType, $0) }.compactMap {
                    value($0) as? Value
                }
            }
        } catch {
            context.rollback()
            throw .invalidValue(reason: error.localizedDescription)
        }
    }

    /// Appends a version that follows all tips of the id.
    @discardableResult
    func updateValue(_ value: some OCKVersionedObjectCompatible) throws -> UUID? {
        let tips = context.contents.tips(type(of: value).entityType, id: value.id)
        guard !tips.isEmpty else { throw OCKStoreError.updateFailed(reason: "No previous version exists") }
        var value = value
        value.uuid = context.surroundings.uuid()
        value.updatedDate = context.surroundings.now()
        value.nextVersionUUIDs = []
        return insert(value, previous: tips.map(\.value.uuid))
    }

    /// Refuses an id or a uuid that was ever used, also by a deleted version.
    private func validateNew(_ values: [some OCKVersionedObjectCompatible]) throws {
        guard Set(values.map(\.id)).count == values.count else {
            throw OCKStoreError.invalidValue(reason: "Identifiers contains duplicate values!")
        }
        for value in values {
            let type = type(of: value).entityType
            guard context.contents.versions(type, id: value.id).isEmpty,
                context.contents.version(type, value.uuid) == nil
            else { throw OCKStoreError.addFailed(reason: "Conflicting IDs or UUIDs already exist!") }
        }
    }

    /// Refuses an update of an id that has a deleted version.
    private func validateUpdates(_ values: [some OCKVersionedObjectCompatible]) throws {
        guard Set(values.map(\.id)).count == values.count else {
            throw OCKStoreError.invalidValue(reason: "Identifiers contains duplicate values!")
        }
        for value in values {
            let versions = context.contents.versions(type(of: value).entityType, id: value.id)
            guard versions.allSatisfy({ $0.value.deletedDate == nil }) else {
                throw OCKStoreError.updateFailed(reason: "\(value.id) has been deleted already")
            }
        }
    }

    /// The versions that a query returns, newest first.
    func fetch<Value: OCKVersionedObjectCompatible>(_ query: some OCKQueryProtocol, _ type: Value.Type) -> [Value] {
        context.performAndWait {
            let contents = context.contents
            let found = contents.versions(Value.entityType).filter { version in
                guard version.value.deletedDate == nil else { return false }
                if !query.ids.isEmpty, !query.ids.contains(version.value.id) { return false }
                if !query.uuids.isEmpty, !query.uuids.contains(version.value.uuid) { return false }
                if let query = query as? OCKOutcomeQuery { return self.matches(version, query) }
                guard let end = query.dateInterval?.end else { return true }
                let next = version.next.compactMap { contents.version(Value.entityType, $0) }
                return version.value.effectiveDate < end
                    && (next.isEmpty || next.contains { $0.value.effectiveDate >= end })
            }
            let sorted = found.sorted { one, other in
                let dates = (one.value.createdDate ?? .distantPast, other.value.createdDate ?? .distantPast)
                return dates.0 != dates.1 ? dates.0 > dates.1 : one.value.uuid.uuidString < other.value.uuid.uuidString
            }
            let page = sorted.dropFirst(query.offset).prefix(query.limit ?? .max)
            return page.compactMap { value($0) as? Value }
        }
    }
}
