import FHIR

extension StoredRecord {
    /// The resource, or what of it is shown.
    ///
    /// - Throws: ``FHIR/ResourceError`` where it is damaged.
    func resource(showing subset: ResourceSubset?) throws -> Resource {
        let resource = try resource()
        return subset?.of(resource) ?? resource
    }

    /// Appends the resource as JSON, or what of it is shown: what is shown whole is put together of the stored bytes.
    ///
    /// - Throws: as ``resource(showing:)`` does.
    func append(showing subset: ResourceSubset?, to output: inout [UInt8]) throws {
        if subset == nil {
            try line.append(content, to: &output)
        } else {
            try resource(showing: subset).json.write(to: &output)
        }
    }
}
