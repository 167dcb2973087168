/* Initialisation, descriptors, queries, error texts. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loopback.h"

void SCI_FUNC(SCIInitialize)(unsigned flags, sci_error_t *error) {
  (void)flags;
  done(error, worldOpen() ? SCI_ERR_OK : SCI_ERR_SYSTEM);
}

void SCI_FUNC(SCITerminate)(void) {}

void SCI_FUNC(SCIOpen)(sci_desc_t *sd, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (!world) {
    done(error, SCI_ERR_NOT_INITIALIZED);
    return;
  }
  *sd = calloc(1, sizeof **sd);
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIClose)(sci_desc_t sd, unsigned flags, sci_error_t *error) {
  (void)flags;
  free(sd);
  done(error, SCI_ERR_OK);
}

void SCI_FUNC(SCIGetLocalNodeId)(unsigned adapterNo, unsigned *nodeId, unsigned flags, sci_error_t *error) {
  (void)flags;
  *nodeId = nodeOf(adapterNo);
  done(error, *nodeId ? SCI_ERR_OK : SCI_ERR_NO_SUCH_ADAPTERNO);
}

int SCI_FUNC(SCIProbeNode)(sci_desc_t sd, unsigned adapterNo, unsigned nodeId, unsigned flags, sci_error_t *error) {
  (void)sd, (void)flags;
  bool up = nodeOf(adapterNo) && linkUp(nodeOf(adapterNo), nodeId);
  done(error, up ? SCI_ERR_OK : SCI_ERR_NO_REMOTE_LINK_ACCESS);
  return up;
}

static sci_error_t queryAdapter(sci_query_adapter_t *q) {
  uint32_t node = nodeOf(q->localAdapterNo);
  if (!node) {
    return SCI_ERR_NO_SUCH_ADAPTERNO;
  }
  unsigned *out = q->data;
  if (q->subcommand == SCI_CONST(SCI_Q_ADAPTER_NODEID)) {
    *out = node;
  } else if (q->subcommand == SCI_CONST(SCI_Q_ADAPTER_NUMBER_OF_LINKS)) {
    *out = 1;
  } else if (q->subcommand == SCI_CONST(SCI_Q_ADAPTER_LINK_OPERATIONAL)) {
    *out = linkUp(node, node);
  } else {
    return SCI_ERR_ILLEGAL_QUERY;
  }
  return SCI_ERR_OK;
}

static sci_error_t queryDma(sci_query_dma_t *q) {
  if (q->subcommand == SCI_CONST(SCI_Q_DMA_AVAILABLE)) {
    *(unsigned *)q->data = 1;
  } else if (q->subcommand == SCI_CONST(SCI_Q_DMA_CAPABILITIES)) {
    *(sci_dma_capabilities_t *)q->data = (sci_dma_capabilities_t){1, 134217727, 256, 1, 0, 0, 4, 64};
  } else {
    return SCI_ERR_ILLEGAL_QUERY;
  }
  return SCI_ERR_OK;
}

void SCI_FUNC(SCIQuery)(unsigned command, void *data, unsigned flags, sci_error_t *error) {
  (void)flags;
  if (command == SCI_CONST(SCI_Q_API)) {
    sci_query_string_t *text = data;
    snprintf(text->str, text->length, "SISCI API version 2.0.2 ( loopback )");
    done(error, SCI_ERR_OK);
  } else if (command == SCI_CONST(SCI_Q_ADAPTER)) {
    done(error, queryAdapter(data));
  } else if (command == SCI_CONST(SCI_Q_DMA)) {
    done(error, queryDma(data));
  } else {
    done(error, SCI_ERR_ILLEGAL_QUERY);
  }
}

const char *SCI_FUNC(SCIGetErrorString)(sci_error_t code) {
  static _Thread_local char text[64];
  snprintf(text, sizeof text, "loopback text for code %#x", (unsigned)code);
  return text;
}
