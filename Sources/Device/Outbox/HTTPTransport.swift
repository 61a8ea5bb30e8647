// Code that sends the outbox needs a transport; it imports only one module.
@_exported import HTTPTransport
