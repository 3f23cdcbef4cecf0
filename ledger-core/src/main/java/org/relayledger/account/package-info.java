/**
 * The account system over HTTP: one transfer, or one question about a transfer, on one connection.
 * Whether anything was sent is told by the {@linkplain org.relayledger.account.Gate gate} alone,
 * never by how a call failed.
 */
package org.relayledger.account;
