import FHIR
import FHIRSearch
import RecordStorage

extension StoredRecord {
    /// Returns the resource, or a part of it.
    ///
    /// - Throws: ``FHIR/ResourceError`` where the record is damaged.
    package func resource(showing subset: ResourceSubset?) throws -> Resource {
        let resource = try resource()
        return subset?.of(resource) ?? resource
    }

    /// Appends the resource or a part of it as JSON. A whole resource is copied from the stored bytes.
    ///
    /// - Throws: the errors of ``resource(showing:)``.
    package func append(showing subset: ResourceSubset?, to output: inout [UInt8]) throws {
        if subset == nil {
            try line.append(content, to: &output)
        } else {
            try resource(showing: subset).json.write(to: &output)
        }
    }
}
