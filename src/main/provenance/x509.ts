/**
 * @file The library for certificates. It fails without reflect-metadata, so only this file imports the two: bundled
 * together, they stay in this order.
 */
import 'reflect-metadata'

export * from '@peculiar/x509'
